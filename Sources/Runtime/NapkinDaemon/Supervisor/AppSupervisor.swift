// AppSupervisor: supervises the workers of one app: one, several, or one for each session.
//
// Ownership  owned by the hosted apps until both worker and manifest are gone; owns a supervisor
//            for each worker.
// Invariant  a worker that is to end gets no session, and its number is free once it has ended.
// Spec       Protocol/MANIFEST.md, section 4 (Isolation)

import Logging
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Has workers started for sessions, and ends workers that are no longer needed.
@MainActor
final class AppSupervisor {
    /// The app from which the next worker is started.
    private(set) var app: HostedApp
    let apps: HostedApps
    /// The workers that run or may run again, by number.
    private(set) var workers: [Int: WorkerSupervisor] = [:]
    /// Whether the manifest is gone.
    private(set) var isWithdrawn = false
    /// Whether all workers are being ended, so that none is started.
    private(set) var isDraining = false
    /// Whether the app was stopped: only `start` starts it again.
    var isStopped: Bool
    /// Whether the app is being started, stopped, restarted or upgraded.
    var isControlled = false
    /// The receipts of the workers' deaths.
    let crashBook: CrashBook
    let log: WorkerLog
    /// The least level that the workers log.
    private(set) var logLevel: String
    /// Whether a tool has changed the level, perhaps under an earlier napkind: workers learn of it.
    private(set) var isLevelChanged: Bool
    /// Workers that are being ended.
    private(set) var endings: [Int: Task<Void, Never>] = [:]
    /// The worker that tries a new program before it is used.
    var trial: WorkerSupervisor?
    /// Timers for checking workers whose sessions may never have had a front.
    private var surplusTimers: [Int: LoopTimer] = [:]
    /// The number of deaths of workers that are no longer needed.
    private var formerCrashes = 0
    /// The known facts about journals whose workers do not run.
    var journals: JournalNotes
    /// Starts the worker whose timer is due first.
    var alarm: LoopTimer?
    var reading: Task<Void, Never>?
    /// The pace of the reports about each limit.
    private var paces: [String: ReportPace] = [:]

    /// - Parameter survivors: the living workers of an earlier napkind.
    init(_ app: HostedApp, in apps: HostedApps, survivors: [Int]) {
        (self.app, self.apps) = (app, apps)
        let changedLevel = apps.marks.changedLevel(of: app.id)
        logLevel = changedLevel ?? apps.server.options.logLevelName
        isLevelChanged = changedLevel != nil
        isStopped = apps.marks.isStopped(app.id)
        var logger = apps.server.logger
        logger[metadataKey: "app.id"] = "\(app.id)"
        log = WorkerLog(of: app.id, in: apps.state.path, logger)
        crashBook = CrashBook(of: app.id, in: apps.state, logger)
        journals = JournalNotes(unheard: Set(survivors))
        for number in survivors { _ = worker(number) }
        let left = apps.cluster == nil ? apps.state.journals(of: app.id) : []
        for number in left where !survivors.contains(number) {
            learn(number)
        }
        if app.isolation == .shared, !isStopped { _ = worker(0) }
    }

    func id(_ number: Int) -> WorkerID { WorkerID(app: app.id, number: number) }

    /// Whether there may be several workers, so that their names are shown.
    var isPlural: Bool {
        app.isolation != .shared || workers.keys.contains { $0 != 0 }
            || journals.places.contains { $0 != 0 }
    }

    var crashes: Int { workers.values.reduce(formerCrashes) { $0 + $1.crashes } }
    var expectsWorker: Bool { workers.values.contains(where: \.expectsWorker) }

    /// Returns the worker with that number, which need not run.
    func worker(_ number: Int) -> WorkerSupervisor {
        if let worker = workers[number] { return worker }
        let worker = WorkerSupervisor(number, of: self)
        workers[number] = worker
        if isWithdrawn { worker.withdraw() }
        return worker
    }

    /// Returns the worker that registers unasked; `nil` if there is none at its socket.
    func worker(of register: Register) -> WorkerSupervisor? {
        let file = register.socket.split(separator: "/").last ?? ""
        guard file.hasSuffix(".sock"), let id = WorkerID(fileName: String(file.dropLast(5))),
            id.app == app.id
        else { return nil }
        if let worker = workers[id.number] { return worker }
        guard ProcessLock.isHeld(apps.state.workerLock(id), by: register.pid) else { return nil }
        return worker(id.number)
    }

    // MARK: - Placing sessions

    /// Whether the number is unused: it has no worker, and no session in its journal.
    func isFree(_ number: Int) -> Bool {
        workers[number] == nil && !journals.unread.contains(number)
            && apps.sessions.stored(by: id(number)).isEmpty
    }

    private var placement: SessionPlacement {
        SessionPlacement(
            isolation: app.isolation, isDraining: isDraining, isStopped: isStopped,
            // It may already have a session of that name.
            unknownWorker: isPlural ? workers.first { $0.value.isUnknown }?.key : nil,
            // Where the database knows all names, no journal hides one.
            unreadJournal: apps.cluster == nil ? journals.hidden(app.isolation).min() : nil,
            remaining: isWithdrawn ? Set(workers.keys) : nil)
    }

    /// Returns the numbers of the workers that may take a new session of that name.
    private func place(_ session: String?) throws(SessionPlacement.Obstacle) -> [Int] {
        var placement = placement
        // The manifest's own sessions always have their places.
        if let session, let most = app.limits.sessions, !app.sessions.contains(session) {
            let known = apps.sessions.known(of: app.id, at: apps.now)
            placement.limit = (known.union(app.sessions).count, most)
        }
        return try placement.candidates(isFree: isFree)
    }

    /// Returns the numbers of the workers that may take a new session of that name, or one named by
    /// the manifest; empty if none may.
    func candidates(for session: String? = nil) -> [Int] {
        // `refusal` says why there are none.
        (try? place(session)) ?? []
    }

    /// Returns the numbers of the workers that may take a session of that name; empty if the
    /// session exists, or if no worker may have it.
    ///
    /// - Parameter creates: whether the session may be a new one: then only those journals are read
    ///   that are needed to avoid a name that is taken.
    func candidatesAfterReading(for session: String, creates: Bool) async -> [Int] {
        if apps.sessions.exists(session) { return [] }
        learnOfDead()
        if !creates || !journals.hidden(app.isolation).isEmpty { await readJournals() }
        return apps.sessions.exists(session) ? [] : candidates(for: session)
    }

    /// The refusal if no worker can take a new session of that name.
    func refusal(of session: String? = nil) -> Refusal {
        do throws(SessionPlacement.Obstacle) {
            _ = try place(session)
            return refusal(.noNumber)
        } catch {
            return refusal(error)
        }
    }

    func refusal(_ obstacle: SessionPlacement.Obstacle) -> Refusal {
        switch obstacle {
        case .draining: Refusal(.shuttingDown, "\(Daemon.name) is shutting down")
        case .stopped:
            Refusal(
                .workerUnavailable,
                "\(app.id) is stopped: `napkin-client start \(app.id)` starts it again")
        case .unknownWorker(let number): worker(number).unregistered
        case .unreadJournal(let number): worker(number).unread
        case .withdrawn:
            Refusal(
                .workerUnavailable, "the manifest of \(app.id) has gone: it opens no new sessions")
        case .noNumber:
            Refusal(
                .overloaded,
                "\(app.id) has \(Isolation.sessionsMax) sessions with a process each, which is the "
                    + "limit: end one with `napkin-client kill`, then try again")
        case .limit(let count, let most):
            reached("sessions", count, most, "end one with `napkin-client kill`")
        }
    }

    /// Throws if the app may have no further front now.
    func checkFronts() throws(Refusal) {
        guard let most = app.limits.fronts else { return }
        let count = workers.values.reduce(0) { $0 + $1.fronts }
        guard count >= most else { return }
        throw reached("fronts", count, most, "detach one with `napkin-client detach`")
    }

    /// Returns a refusal for a limit in the manifest, and logs that it was reached.
    private func reached(_ limit: String, _ count: Int, _ most: Int, _ remedy: String) -> Refusal {
        let refusal = Refusal(
            .overloaded,
            "\(app.id) has \(count) of \(most) \(limit), which is the limit in its manifest: "
                + "'\(limit)' in 'limits' of \(app.path); \(remedy), then try again")
        if paces[limit, default: .ofLimit].report(at: apps.now) != nil {
            apps.server.logger.warning(
                "limit reached", metadata: ["app.id": "\(app.id)", "reason": "\(refusal.message)"])
            log.limitReached(refusal.message)
        }
        return refusal
    }

    // MARK: - Ending workers

    /// Whether a worker without sessions is surplus.
    func isSurplus(_ number: Int) -> Bool {
        isWithdrawn || !app.isolation.keptWorkers.contains(number)
    }

    /// Notes that a front was sent to that worker, which may turn out surplus without it.
    func opened(_ number: Int) {
        guard isSurplus(number), surplusTimers[number] == nil, workers[number] != nil else {
            return
        }
        surplusTimers[number] = LoopTimer(after: .seconds(Limits.nameReservationSeconds)) {
            [weak self] in
            guard let self else { return }
            surplusTimers[number] = nil
            retireIfUnused(number)
            // Fronts have been sent there again meanwhile.
            if endings[number] == nil, apps.sessions.count(of: id(number)) == 0 { opened(number) }
        }
    }

    /// Drains a surplus worker that has no session in memory and expects none.
    func retireIfUnused(_ number: Int) {
        guard !isDraining, let worker = workers[number], endings[number] == nil,
            isSurplus(number), worker.openRequests == 0,
            apps.sessions.isUnused(id(number), at: apps.now), !worker.expectsWorker
        else { return }
        endings[number] = Task {
            await worker.drain(deadline: Daemon.drainDeadline)
            apps.server.logger.info("worker not needed", metadata: ["worker": "\(worker.id)"])
            ended(worker, keepsNames: false)
        }
    }

    func retireUnused() {
        learnOfDead()
        for number in Array(workers.keys) { retireIfUnused(number) }
    }

    /// Ends a worker; its number is free when the task has finished.
    ///
    /// - Parameter keepsNames: whether its sessions will be opened again.
    @discardableResult
    func end(
        _ number: Int, within deadline: Duration = Daemon.drainDeadline, keepsNames: Bool = false
    ) -> Task<Void, Never>? {
        guard endings[number] == nil, let worker = workers[number] else { return endings[number] }
        endings[number] = Task {
            await worker.end(within: deadline)
            apps.server.logger.info("worker ended", metadata: ["worker": "\(worker.id)"])
            ended(worker, keepsNames: keepsNames)
        }
        return endings[number]
    }

    private func ended(_ worker: WorkerSupervisor, keepsNames: Bool) {
        endings[worker.id.number] = nil
        remove(worker, keepsNames: keepsNames)
    }

    /// Removes a worker that has ended and is no longer needed.
    ///
    /// - Parameter keepsNames: whether its sessions will be opened again.
    func remove(_ worker: WorkerSupervisor, keepsNames: Bool = false) {
        guard workers[worker.id.number] === worker else { return }
        workers[worker.id.number] = nil
        surplusTimers.removeValue(forKey: worker.id.number)?.cancel()
        formerCrashes += worker.crashes
        if !keepsNames { apps.sessions.workerRemoved(worker.id) }
        learn(worker.id.number)
        if isWithdrawn, workers.isEmpty { apps.remove(self) }
    }

    /// Drains all workers; returns when they are gone.
    func drain(deadline: Duration) async {
        isDraining = true
        await withTaskGroup { group in
            if let trial { group.addTask { await trial.drain(deadline: deadline) } }
            for (number, worker) in workers {
                if let end = endings[number] {
                    group.addTask { await end.value }
                } else {
                    group.addTask { await worker.drain(deadline: deadline) }
                }
            }
        }
    }

    // MARK: - Manifests and levels

    /// Adopts a manifest that has changed or returned: for each worker at its next start, and for
    /// new sessions from now on.
    func replace(by app: HostedApp) {
        self.app = app
        isWithdrawn = false
        for worker in workers.values { worker.programReplaced() }
        if app.isolation == .shared, !isStopped { _ = worker(0) }
        setAlarm()
        retireUnused()
    }

    /// Handles the removal of the manifest: running workers continue while they have sessions.
    func withdraw() {
        isWithdrawn = true
        for (number, worker) in workers where endings[number] == nil { worker.withdraw() }
        if workers.isEmpty { apps.remove(self) }
        retireUnused()
    }

    /// Changes the log level of running and later workers. Returns the former level.
    func changeLogLevel(to word: String) async throws(Refusal) -> String {
        if let objection = LogLevel.objection(to: word) { throw Refusal(.badRequest, objection) }
        let former = logLevel
        try apps.marks.keepLevel(word, of: app.id)
        (logLevel, isLevelChanged) = (word, true)
        for worker in workers.values where worker.isRegistered {
            do throws(Refusal) {
                _ = try await worker.query(.logLevel(app: app.id, level: word))
            } catch {
                throw Refusal(
                    error.code, "\(error.message); the workers after it log from \(word) on")
            }
        }
        return former
    }
}
