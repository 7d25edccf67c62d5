// AppSupervisor+Control: starts, stops, restarts and upgrades an app's workers on demand.
//
// Invariant  a worker ends only if no session ends with it, or if a tool has asked for that.
// Spec       Protocol/TOOLS.md, section 3 (Apps)

import Logging
import NapkinCore
import NapkinHost
import NapkinProtocol

extension AppSupervisor {
    /// The refusal to open a session of a stopped app.
    var stopped: Refusal {
        Refusal(
            .workerUnavailable,
            "\(app.id) is stopped: `napkin-client start \(app.id)` starts it again")
    }

    /// Whether a worker is known to run a program other than the current one.
    var isOutdated: Bool { workers.values.contains { $0.isOutdated == true } }

    /// The napkin version of a worker that was built with another version than ours.
    var otherNapkin: String? {
        workers.values.lazy.compactMap(\.napkin).first { $0 != NapkinVersion.text }
    }

    /// The number of sessions that would end with the workers. Sessions of a dead worker are lost.
    private var endingCount: Int {
        workers.values.filter(\.isRegistered)
            .reduce(0) { $0 + (daemon?.sessions.ending(with: $1.id).count ?? 0) }
    }

    /// Returns an outcome that names the sessions that would end, unless `force` allows it; `nil`
    /// if the workers may end. Throws if the sessions are unknown.
    private func unforced(_ force: Bool) throws(Refusal) -> ControlOutcome? {
        if force { return nil }
        if let silent = workers.values.first(where: \.isUnknown) {
            throw Refusal(.workerUnavailable, silent.unregistered.message + "; --force ends it")
        }
        let count = endingCount
        return count > 0 ? ControlOutcome(.unforced, sessions: count, pids: pids) : nil
    }

    private var pids: [Int32] { workers.values.compactMap(\.pid).sorted() }

    /// Performs a tool's request.
    ///
    /// - Parameter force: whether sessions may end.
    func control(_ action: ControlAction, force: Bool) async throws(Refusal) -> ControlOutcome {
        guard !isControlled, !isDraining else {
            throw Refusal(
                .overloaded,
                "\(app.id) is being started, stopped, restarted or upgraded: try again")
        }
        isControlled = true
        defer { isControlled = false }
        if action != .stop, isWithdrawn { throw refusal }
        switch action {
        case .start: return try await start()
        case .stop: return try await stop(force: force)
        case .restart: return try await restart(force: force)
        case .upgrade: return try await upgrade(force: force)
        }
    }

    private func start() async throws(Refusal) -> ControlOutcome {
        for end in endings.values { await end.value }
        if isDraining { throw refusal }
        let (former, wasStopped) = (pids, isStopped)
        try daemon?.unmarkStopped(app.id)
        isStopped = false
        // Degraded workers are tried again at once.
        for worker in workers.values { worker.replace(by: app) }
        daemon?.startSessions(of: self)
        let others: [Int] =
            switch app.isolation {
            case .shared: [0]
            case .workers(let count): Array(1...count)
            case .session: []
            }
        let starts = Set(others).union(workers.keys).map { number in
            let worker = worker(number)
            return Task.immediate { await worker.startFailure() }
        }
        var failure: Refusal?
        for start in starts {
            let refusal = await start.value
            failure = failure ?? refusal
        }
        if let failure { throw failure }
        await readJournals()
        setAlarm()
        let isChanged = wasStopped || pids != former
        return ControlOutcome(isChanged ? .done : .unchanged, pids: pids)
    }

    private func stop(force: Bool) async throws(Refusal) -> ControlOutcome {
        if let unforced = try unforced(force) { return unforced }
        if isStopped, workers.isEmpty { return ControlOutcome(.unchanged) }
        let count = endingCount
        if !isWithdrawn { try daemon?.markStopped(app.id) }
        isStopped = true
        await endAll { _ in false }
        return ControlOutcome(.done, sessions: count)
    }

    private func restart(force: Bool) async throws(Refusal) -> ControlOutcome {
        if let unforced = try unforced(force) { return unforced }
        let count = endingCount
        let former = workers.keys.filter { $0 > 0 }
        await endAll { [self] number in
            !isSurplus(number) || app.isolation == .session && number > 0
        }
        // A process with a session to itself opens that session again.
        if app.isolation == .session, let daemon {
            for number in former
            where !daemon.sessions.held(by: WorkerID(app: app.id, number: number)).isEmpty {
                _ = worker(number)
            }
        }
        _ = try await start()
        return ControlOutcome(.done, sessions: count, pids: pids)
    }

    private func upgrade(force: Bool) async throws(Refusal) -> ControlOutcome {
        if isStopped { throw stopped }
        if workers.values.contains(where: \.isRegistered),
            workers.values.allSatisfy({ $0.isOutdated == false })
        {
            return ControlOutcome(.unchanged, pids: pids)
        }
        try await tryProgram()
        return try await restart(force: force)
    }

    // MARK: - Ending

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
            daemon?.logger.info("worker ended", metadata: ["worker": "\(worker.id)"])
            endings[number] = nil
            over(worker, keepsNames: keepsNames)
        }
        return endings[number]
    }

    private func endAll(keepingNames keeps: (Int) -> Bool) async {
        daemon?.sessions.forgetLost(of: app.id)
        let ends = Array(workers.keys).map { end($0, keepsNames: keeps($0)) }
        for end in ends { await end?.value }
    }

    /// Ends workers that have registered after the app was stopped.
    func endIfStopped() {
        guard isStopped else { return }
        for number in Array(workers.keys) { end(number) }
    }

    // MARK: - Trying

    /// Starts the new program beside the old one, with a separate socket and no session. Returns
    /// when the program has proved that it starts, that the old program's fronts could attach, and
    /// that stored sessions could be restored.
    private func tryProgram() async throws(Refusal) {
        let number = (1...Isolation.sessionsMax).last { isFree($0) && endings[$0] == nil }
        guard let daemon, let number else { throw refusal }
        let trial = daemon.worker(
            WorkerID(app: app.id, number: number), of: self, isTrial: true)
        self.trial = trial
        log.programTried()
        defer { self.trial = nil }
        var failure: Refusal?
        do throws(Refusal) {
            let new = try await trial.contract()
            if let old = try await oldContract() {
                try check(ContractComparison.changes(from: old, to: new))
            }
        } catch {
            failure = error
        }
        if failure != nil, let death = trial.death {
            failure = Refusal(
                .workerUnavailable,
                "the new program of \(app.id) does not come up: \(death); the old one keeps "
                    + "running; see `napkin-client logs \(app.id)`")
        }
        await trial.end(within: Daemon.drainDeadline)
        if let failure { throw failure }
    }

    private var hasStoredSessions: Bool {
        guard let sessions = daemon?.sessions else { return false }
        return !sessions.storing(app.id).isEmpty
            || workers.values.contains {
                sessions.held(by: $0.id).contains(where: sessions.isStored)
            }
    }

    private var hasFronts: Bool {
        workers.values.contains { $0.isRegistered && daemon?.sessions.count(of: $0.id) ?? 0 > 0 }
    }

    /// The contract of attached fronts and stored sessions; `nil` if there can be none, or if no
    /// running worker could provide it.
    private func oldContract() async throws(Refusal) -> AppSchema? {
        guard hasFronts || hasStoredSessions else { return nil }
        return try await workers.values.first(where: \.isRegistered)?.contract()
    }

    private func check(_ changes: [ContractChange]) throws(Refusal) {
        let breaking = changes.filter(\.breaksOlderFronts)
        let ofFronts = hasFronts ? breaking.filter { !$0.isStored } : []
        let ofStates = hasStoredSessions ? breaking.filter(\.isStored) : []
        if let words = Self.words(ofFronts) {
            throw Refusal(
                .contractMismatch,
                "the contract of the new program breaks the attached fronts: \(words); the old "
                    + "one keeps running; `napkin-client restart \(app.id) --force` starts the new "
                    + "one anyway, and those fronts leave: attach again with the new one")
        }
        if let words = Self.words(ofStates) {
            throw Refusal(
                .contractMismatch,
                "the new program cannot restore what sessions have stored: \(words); the old one "
                    + "keeps running; add a Migration to the new one; `napkin-client restart "
                    + "\(app.id)` starts it anyway: these sessions are then kept, but closed until "
                    + "a program reads them")
        }
    }

    private static func words(_ breaking: [ContractChange]) -> String? {
        guard let first = breaking.first else { return nil }
        let more = breaking.count > 1 ? ", and \(breaking.count - 1) more changes" : ""
        return first.summary.shortened(to: Limits.refusalBytesMax / 2) + more
    }
}
