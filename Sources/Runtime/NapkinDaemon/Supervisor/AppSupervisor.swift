// AppSupervisor: supervises the workers of one app: one, several, or one for each session.
//
// Ownership  owned by the daemon; owns a supervisor for each worker.
// Invariant  a worker chosen to end gets no session, and its number is free once it has ended.
// Spec       Protocol/MANIFEST.md, section 4 (Isolation)

import Logging
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// Chooses the worker for each session, and ends workers that are no longer needed.
@MainActor
final class AppSupervisor {
    /// The app from which the next worker is started.
    private(set) var app: HostedApp
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
    private(set) weak var daemon: Daemon?
    /// The log of the workers' output.
    let log: WorkerLog
    /// The least level that the workers log.
    private(set) var logLevel: String
    /// Whether a tool has changed the level, perhaps under an earlier napkind: workers are told.
    private(set) var isLevelChanged: Bool
    /// Workers that are being ended because they are not needed.
    var endings: [Int: Task<Void, Never>] = [:]
    /// The worker that tries a new program before it is used.
    var trial: WorkerSupervisor?
    /// Timers that check workers to whose sessions no front may ever have attached.
    private var looks: [Int: LoopTimer] = [:]
    /// The number of deaths of workers that are no longer needed.
    private var formerCrashes = 0
    /// The known facts about journals whose workers do not run.
    var journals = JournalNotes()
    private var notes = LimitNotes()

    /// - Parameter survivors: the living workers of an earlier napkind.
    init(_ app: HostedApp, of daemon: Daemon, survivors: [Int]) throws(StartError) {
        self.app = app
        self.daemon = daemon
        let changedLevel = daemon.changedLevel(of: app.id)
        logLevel = changedLevel ?? daemon.server.options.logLevelName
        isLevelChanged = changedLevel != nil
        isStopped = daemon.isStopped(app.id)
        var logger = daemon.logger
        logger[metadataKey: "app.id"] = "\(app.id)"
        log = WorkerLog(of: app.id, in: daemon.state.path, logger)
        try daemon.checkSockets(of: app)
        journals.unheard = Set(survivors)
        for number in survivors { _ = worker(number) }
        for number in daemon.state.journals(of: app.id) where !survivors.contains(number) {
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

    /// Returns the worker with that number, which need not run.
    func worker(_ number: Int) -> WorkerSupervisor {
        if let worker = workers[number] { return worker }
        guard let daemon else { preconditionFailure("the daemon has ended before its workers") }
        let worker = daemon.worker(id(number), of: self)
        workers[number] = worker
        if isWithdrawn { worker.withdraw() }
        return worker
    }

    /// Returns the worker that registers unasked; `nil` if there is none at its socket.
    func worker(of register: Register, in state: StateDirectory) -> WorkerSupervisor? {
        let file = register.socket.split(separator: "/").last ?? ""
        guard file.hasSuffix(".sock"), let id = WorkerID(fileName: String(file.dropLast(5))),
            id.app == app.id
        else { return nil }
        if let worker = workers[id.number] { return worker }
        guard ProcessLock.isHeld(state.workerLock(id), by: register.pid) else { return nil }
        return worker(id.number)
    }

    // MARK: - Sessions

    /// The numbers of the workers that may receive a new session; empty if none may.
    var candidates: [Int] {
        if isDraining || isStopped { return [] }
        // It may already have a session of that name.
        if isPlural, workers.values.contains(where: \.isUnknown) { return [] }
        if !hiddenJournals.isEmpty { return [] }
        let numbers =
            switch app.isolation {
            case .shared: [0]
            case .workers(let count): Array(1...count)
            case .session:
                (1...Isolation.sessionsMax).first(where: isFree).map { [$0] } ?? []
            }
        return isWithdrawn ? numbers.filter { workers[$0] != nil } : numbers
    }

    /// The reason why there are no candidates.
    var refusal: Refusal {
        if isDraining { return Refusal(.shuttingDown, "\(Daemon.name) is shutting down") }
        if isStopped { return stopped }
        if let silent = workers.values.first(where: \.isUnknown) { return silent.unregistered }
        if let hidden = hiddenJournals.min() { return worker(hidden).unread }
        if isWithdrawn {
            return Refusal(
                .workerUnavailable, "the manifest of \(app.id) has gone: it opens no new sessions")
        }
        return Refusal(
            .overloaded,
            "\(app.id) has \(Isolation.sessionsMax) sessions with a process each, which is the "
                + "limit: end one with `napkin-client kill`, then try again")
    }

    /// The app's sessions, including those to which no front has attached yet.
    var knownSessions: Set<String> {
        guard let daemon else { return [] }
        return daemon.sessions.known(of: app.id, at: daemon.now)
    }

    /// Logs that a limit was reached.
    func note(_ limit: String, _ refusal: Refusal) {
        guard let daemon, notes.isDue(limit, at: daemon.now) else { return }
        daemon.logger.warning(
            "limit reached", metadata: ["app.id": "\(app.id)", "reason": "\(refusal.message)"])
        log.limitReached(refusal.message)
    }

    /// Returns the task that ends a surplus worker; `nil` if there is none.
    func end(of number: Int) -> Task<Void, Never>? { endings[number] }

    /// Whether a worker without sessions is surplus.
    func isSurplus(_ number: Int) -> Bool {
        if isWithdrawn { return true }
        return switch app.isolation {
        case .shared: number != 0
        case .workers(let count): !(1...count).contains(number)
        case .session: true
        }
    }

    /// Notes that a front was sent to that worker, which may turn out surplus without it.
    func opened(_ number: Int) {
        guard isSurplus(number), looks[number] == nil, workers[number] != nil else { return }
        looks[number] = LoopTimer(after: .seconds(Limits.nameReservationSeconds)) { [weak self] in
            guard let self else { return }
            looks[number] = nil
            retireIfUnused(number)
            // Fronts have been sent there again meanwhile.
            if endings[number] == nil, daemon?.sessions.count(of: id(number)) == 0 {
                opened(number)
            }
        }
    }

    /// Drains a surplus worker that has no session in memory and expects none.
    func retireIfUnused(_ number: Int) {
        guard !isDraining, let daemon, let worker = workers[number], endings[number] == nil,
            isSurplus(number), worker.openRequests == 0,
            daemon.sessions.isUnused(id(number), at: daemon.now), !worker.expectsWorker
        else { return }
        endings[number] = Task {
            await worker.drain(deadline: Daemon.drainDeadline)
            daemon.logger.info("worker not needed", metadata: ["worker": "\(worker.id)"])
            endings[number] = nil
            over(worker)
        }
    }

    func retireUnused() {
        learnOfDead()
        for number in Array(workers.keys) { retireIfUnused(number) }
    }

    /// Removes a worker that has ended and is no longer needed.
    ///
    /// - Parameter keepsNames: whether its sessions will be opened again.
    func over(_ worker: WorkerSupervisor, keepsNames: Bool = false) {
        guard workers[worker.id.number] === worker else { return }
        workers[worker.id.number] = nil
        looks.removeValue(forKey: worker.id.number)?.cancel()
        formerCrashes += worker.crashes
        if !keepsNames { daemon?.sessions.workerRemoved(worker.id) }
        learn(worker.id.number)
        if isWithdrawn, workers.isEmpty { daemon?.over(self) }
    }

    // MARK: - Manifests

    /// Adopts a manifest that has changed or returned: for each worker at its next start, and for
    /// new sessions from now on.
    func replace(by app: HostedApp) {
        self.app = app
        isWithdrawn = false
        for worker in workers.values { worker.replace(by: app) }
        if app.isolation == .shared, !isStopped { _ = worker(0) }
        setAlarm()
        retireUnused()
    }

    /// Handles the removal of the manifest: running workers continue while they have sessions.
    func withdraw() {
        isWithdrawn = true
        for (number, worker) in workers where endings[number] == nil { worker.withdraw() }
        if workers.isEmpty { daemon?.over(self) }
        retireUnused()
    }

    // MARK: - For tools

    /// The workers' state; if they differ, the one that needs attention most.
    var state: AppInfo.State {
        let states = Set(workers.values.map(\.state))
        if isStopped, states.isSubset(of: [.idle]) { return .stopped }
        return [.degraded, .restarting, .starting, .running].first(where: states.contains) ?? .idle
    }

    /// The file of the workers' output, if there is one.
    var logPath: String? { log.path }

    /// The cause of a worker's death, or the reason why none starts.
    var death: String? { isWithdrawn ? nil : workers.values.lazy.compactMap(\.death).first }

    /// Limits the registration time of workers that have outlived an earlier napkind.
    func expectOtherRegistrations() {
        for worker in workers.values where worker.expectsWorker {
            worker.expectAnotherRegistration()
        }
        lookForDead()
    }

    var crashes: Int { workers.values.reduce(formerCrashes) { $0 + $1.crashes } }
    var expectsWorker: Bool { workers.values.contains(where: \.expectsWorker) }

    /// The current workers.
    var infos: [WorkerInfo] {
        workers.values.sorted { $0.id.number < $1.id.number }.map { worker in
            let figures = worker.pid.flatMap(ProcessFigures.init(of:))
            return WorkerInfo(
                worker: "\(worker.id)", state: worker.state, pid: worker.pid,
                sessions: worker.isRegistered ? daemon?.sessions.count(of: worker.id) ?? 0 : 0,
                crashes: worker.crashes, seconds: figures?.seconds, bytes: figures?.bytes)
        }
    }

    /// Returns the worker that answers a query about the app; `nil` if there is none.
    func inspected() throws(Refusal) -> WorkerSupervisor? {
        guard workers.count > 1 else { return workers.values.first }
        let names = workers.keys.sorted().prefix(2).map { "\(id($0))" }.joined(separator: ", ")
        throw Refusal(
            .badRequest,
            "\(app.id) has \(workers.count) workers, which are asked one by one: \(names), …")
    }

    /// Returns the app's encoded schema from a worker, which is started if necessary.
    func schema() async throws(Refusal) -> AnswerPiece {
        if let running = workers.values.first(where: \.isRegistered) {
            return try await running.schema()
        }
        guard let number = candidates.first else { throw refusal }
        defer { retireIfUnused(number) }
        return try await worker(number).schema()
    }

    /// Changes the log level of running and later workers. Returns the former level.
    func changeLogLevel(to word: String) async throws(Refusal) -> String {
        if let objection = LogLevel.objection(to: word) { throw Refusal(.badRequest, objection) }
        let former = logLevel
        try daemon?.keepLevel(word, of: app.id)
        (logLevel, isLevelChanged) = (word, true)
        for worker in workers.values {
            (worker.launcher.logLevel, worker.launcher.isLevelChanged) = (word, true)
        }
        for worker in workers.values where worker.isRegistered {
            _ = try await worker.query(.logLevel(app: app.id, level: word))
        }
        return former
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
}
