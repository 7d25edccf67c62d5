// AppControl: starts, stops, restarts and upgrades an app's workers on demand.
//
// Invariant  a worker ends only if no session ends with it, or if a tool has asked for the end.
// Spec       Protocol/TOOLS.md, section 3 (Apps)

import NapkinHost
import NapkinProtocol

@MainActor
struct AppControl {
    let app: AppSupervisor
    /// Whether sessions may end.
    let force: Bool

    private var apps: HostedApps { app.apps }
    private var pids: [Int32] { app.workers.values.compactMap(\.pid).sorted() }

    func perform(_ action: ControlAction) async throws(Refusal) -> ControlOutcome {
        guard !app.isControlled, !app.isDraining else {
            throw Refusal(
                .overloaded,
                "\(app.app.id) is being started, stopped, restarted or upgraded: try again")
        }
        app.isControlled = true
        defer { app.isControlled = false }
        if action != .stop, app.isWithdrawn { throw app.refusal(.withdrawn) }
        switch action {
        case .start: return try await start()
        case .stop: return try await stop()
        case .restart: return try await restart()
        case .upgrade: return try await upgrade()
        case .drain: throw .onlyRestarted
        }
    }

    /// The number of sessions that would end with the workers. Sessions of a dead worker are lost.
    private var endingCount: Int {
        app.workers.values.filter(\.isRegistered)
            .reduce(0) { $0 + apps.sessions.ending(with: $1.id).count }
    }

    /// Returns an outcome that names the sessions that would end, unless `force` allows it; `nil`
    /// if the workers may end. Throws if the sessions are unknown.
    private func unforced() throws(Refusal) -> ControlOutcome? {
        if force { return nil }
        if let silent = app.workers.values.first(where: \.isUnknown) {
            throw Refusal(.workerUnavailable, silent.unregistered.message + "; --force ends it")
        }
        let count = endingCount
        return count > 0 ? ControlOutcome(.unforced, sessions: count, pids: pids) : nil
    }

    private func start() async throws(Refusal) -> ControlOutcome {
        for end in app.endings.values { await end.value }
        if app.isDraining { throw app.refusal(.draining) }
        let (former, wasStopped) = (pids, app.isStopped)
        try apps.marks.unmarkStopped(app.app.id)
        app.isStopped = false
        // Degraded workers are tried again at once.
        for worker in app.workers.values { worker.programReplaced() }
        app.startSessions()
        let numbers = Set(app.app.isolation.keptWorkers).union(app.workers.keys)
        let starts = numbers.map { number in
            let worker = app.worker(number)
            return Task.immediate { await worker.startUnasked() }
        }
        var failure: Refusal?
        for start in starts {
            let refusal = await start.value
            failure = failure ?? refusal
        }
        if let failure { throw failure }
        await app.readJournals()
        app.setAlarm()
        let isChanged = wasStopped || pids != former
        return ControlOutcome(isChanged ? .done : .unchanged, pids: pids)
    }

    private func stop() async throws(Refusal) -> ControlOutcome {
        if let unforced = try unforced() { return unforced }
        if app.isStopped, app.workers.isEmpty { return ControlOutcome(.unchanged) }
        let count = endingCount
        if !app.isWithdrawn { try apps.marks.markStopped(app.app.id) }
        app.isStopped = true
        await endAll { _ in false }
        return ControlOutcome(.done, sessions: count)
    }

    private func restart() async throws(Refusal) -> ControlOutcome {
        if let unforced = try unforced() { return unforced }
        let count = endingCount
        let former = app.workers.keys.filter { $0 > 0 }
        await endAll { number in
            !app.isSurplus(number) || app.app.isolation == .session && number > 0
        }
        // A process with a session to itself opens that session again.
        if app.app.isolation == .session {
            for number in former where !apps.sessions.held(by: app.id(number)).isEmpty {
                _ = app.worker(number)
            }
        }
        _ = try await start()
        return ControlOutcome(.done, sessions: count, pids: pids)
    }

    private func upgrade() async throws(Refusal) -> ControlOutcome {
        if app.isStopped { throw app.refusal(.stopped) }
        if app.workers.values.contains(where: \.isRegistered),
            app.workers.values.allSatisfy({ $0.isOutdated == false })
        {
            return ControlOutcome(.unchanged, pids: pids)
        }
        try await ProgramTrial(app: app).run()
        return try await restart()
    }

    private func endAll(keepingNames keeps: (Int) -> Bool) async {
        apps.sessions.forgetLost(of: app.app.id)
        let ends = Array(app.workers.keys).map { app.end($0, keepsNames: keeps($0)) }
        for end in ends { await end?.value }
    }
}
