// SupervisionStateMachine: the life cycle of one app's worker, as supervised by napkind.
//
// Isolation  value; owned by one supervisor. Time and randomness are parameters.
// Invariant  every waiter ends once; a worker is started only if none is known to live.
// Spec       Protocol/SPEC.md, section 1 (Roles and processes)

import NapkinProtocol

/// Decides when a worker is started, restarted, given up and ended.
struct SupervisionStateMachine: Hashable, Sendable {
    /// The action to take for a front that needs the worker.
    enum RequestAction: Equatable, Sendable {
        /// The worker runs.
        case proceed
        /// Start a worker and report `startAttempted`; the waiter will end by another action.
        case startAndWait
        case wait
        /// The worker died too often.
        case refuseDegraded
        case refuseShuttingDown
    }

    /// The result of an attempt to start a worker.
    enum Attempt: Equatable, Sendable {
        case started
        /// The worker of an earlier napkind is alive and will register.
        case anotherLives
        case failed(reason: String)
    }

    /// The action to take after an attempt to start a worker, or after its end.
    enum Action: Equatable, Sendable {
        /// The worker will register, has been replaced, or was already dead.
        case ignore
        /// Report `timerFired` after this time: the worker of an earlier napkind may register.
        case checkAgain(after: Duration)
        /// The worker died: report `timerFired` after this time.
        case restart(after: Duration)
        /// The worker died: tell these waiters that there is none.
        case giveUp(waiters: [UInt64])
        /// The worker was meant to end.
        case drained
        /// Another machine has the worker's journal: tell these waiters that there is none here.
        case yield(waiters: [UInt64])
    }

    /// The action to take after a registration.
    enum RegisterAction: Equatable, Sendable {
        /// Wake these waiters.
        case run(waiters: [UInt64])
        /// napkind is shutting down: tell the worker to end.
        case drain
    }

    /// The action to take to drain the worker. The waiters end without a worker.
    enum DrainAction: Equatable, Sendable {
        /// Send `drain` to the worker.
        case tell(waiters: [UInt64])
        /// The worker has not registered: end its process.
        case terminate(waiters: [UInt64])
        /// There is no worker.
        case none(waiters: [UInt64])
    }

    private enum Phase: Hashable, Sendable {
        case idle
        case starting
        /// A child that has registered, or a worker of an earlier napkind.
        case running(connection: UInt64, isChild: Bool)
        case restarting
        case degraded
        case draining(connection: UInt64?)
        case drained
    }

    /// The time between two checks on an earlier napkind's worker, until it registers. Chosen: half
    /// of the time between its attempts to find napkind.
    static let checkInterval = Duration.milliseconds(100)

    private var phase = Phase.idle
    private var restart: RestartLimit
    private var policy: RestartPolicy
    private var waiters: [UInt64] = []
    private var hasChild = false
    /// Whether there is no program for the next worker.
    private(set) var isWithdrawn = false
    /// How often the worker died unexpectedly.
    private(set) var crashes = 0
    /// The last death, or the one that napkind is bringing about.
    private(set) var death: WorkerDeath?
    /// The reason for which napkind is ending the process.
    private var killedFor: WorkerDeath.Cause?

    init(restart: RestartLimit = RestartLimit()) {
        self.restart = restart
        policy = RestartPolicy(restart)
    }

    /// The app's state, for listings.
    var state: AppInfo.State {
        switch phase {
        case .idle, .drained: .idle
        case .starting: .starting
        case .running, .draining: .running
        case .restarting: .restarting
        case .degraded: .degraded
        }
    }

    /// Whether the worker is to end, or has ended.
    var isDraining: Bool {
        switch phase {
        case .draining, .drained: true
        default: false
        }
    }

    // MARK: - Fronts

    /// A front needs the worker; `waiter` is the driver's number for it.
    mutating func workerRequested(by waiter: UInt64, at now: Duration) -> RequestAction {
        switch phase {
        case .running: return .proceed
        case .draining, .drained: return .refuseShuttingDown
        case .degraded:
            guard policy.mayTryAgain(at: now) else { return .refuseDegraded }
            policy = RestartPolicy(restart)
            return start(for: waiter)
        case .idle where isWithdrawn: return .refuseDegraded
        case .idle: return start(for: waiter)
        case .starting, .restarting:
            waiters.append(waiter)
            return .wait
        }
    }

    private mutating func start(for waiter: UInt64) -> RequestAction {
        phase = .starting
        waiters.append(waiter)
        return .startAndWait
    }

    /// A waiter's deadline has passed; returns false if it had already ended.
    mutating func waiterTimedOut(_ waiter: UInt64) -> Bool {
        guard let index = waiters.firstIndex(of: waiter) else { return false }
        waiters.remove(at: index)
        return true
    }

    private mutating func takeWaiters() -> [UInt64] {
        defer { waiters = [] }
        return waiters
    }

    // MARK: - Life

    /// An attempt to start a worker was made.
    mutating func startAttempted(
        _ attempt: Attempt, at now: Duration, jitter: Double
    ) -> Action {
        guard phase == .starting else { return .ignore }
        switch attempt {
        case .started:
            (hasChild, killedFor) = (true, nil)
            return .ignore
        case .anotherLives: return .checkAgain(after: Self.checkInterval)
        case .failed(let reason):
            // It was another process that napkind has killed.
            killedFor = nil
            return died(.notStarted(reason: reason), at: now, jitter)
        }
    }

    /// The delay of an earlier action has passed. Returns whether to start a worker now.
    mutating func timerFired() -> Bool {
        switch phase {
        case .restarting:
            phase = .starting
            return true
        case .starting: return !hasChild
        case .idle, .running, .degraded, .draining, .drained: return false
        }
    }

    /// A worker has registered on this connection.
    mutating func registered(on connection: UInt64) -> RegisterAction {
        switch phase {
        case .draining, .drained:
            phase = .draining(connection: connection)
            return .drain
        case .running(_, let isChild):
            phase = .running(connection: connection, isChild: isChild)
        case .idle, .starting, .restarting, .degraded:
            phase = .running(connection: connection, isChild: hasChild)
        }
        return .run(waiters: takeWaiters())
    }

    /// A worker's connection has ended. A child's death is reported by its exit; for a worker of an
    /// earlier napkind, this is the only report.
    mutating func connectionEnded(
        _ connection: UInt64, weight: RestartPolicy.Weight = .one, at now: Duration, jitter: Double
    ) -> Action {
        switch phase {
        case .running(connection, isChild: true):
            phase = .starting
            return .ignore
        case .running(connection, isChild: false):
            return died(.disconnected, weight: weight, at: now, jitter)
        case .draining(connection) where !hasChild:
            return died(.disconnected, weight: weight, at: now, jitter)
        default: return .ignore
        }
    }

    /// The child has ended; `weight` is as in `RestartPolicy`.
    mutating func childExited(
        _ end: WorkerDeath.Cause, weight: RestartPolicy.Weight = .one, at now: Duration,
        jitter: Double
    ) -> Action {
        guard hasChild else { return .ignore }
        hasChild = false
        return died(end, weight: weight, at: now, jitter)
    }

    /// The worker has ended because another machine has its journal, or may: it is started again
    /// only when somebody asks for it.
    mutating func workerYielded() -> Action {
        switch phase {
        case .running(_, isChild: false), .draining(connection: .some): break
        default: guard hasChild else { return .ignore }
        }
        (hasChild, killedFor) = (false, nil)
        if isDraining {
            phase = .drained
            return .drained
        }
        phase = .idle
        return .yield(waiters: takeWaiters())
    }

    // MARK: - Deaths

    /// napkind is about to end the process for this reason. Returns false if it already does so.
    mutating func killRequested(for cause: WorkerDeath.Cause, at now: Duration) -> Bool {
        guard killedFor == nil else { return false }
        killedFor = cause
        death = WorkerDeath(cause: cause, at: now)
        return true
    }

    /// The log says how the worker died.
    mutating func lastWordsFound(_ words: String, of death: WorkerDeath, memory: Int?) {
        // It may have died once more.
        if self.death == death { self.death?.text = death.text(saying: words, memory: memory) }
    }

    /// Returns why a worker died that was seen to `end` so: napkind may have been the reason.
    func cause(of end: WorkerDeath.Cause) -> WorkerDeath.Cause { killedFor ?? end }

    private mutating func died(
        _ end: WorkerDeath.Cause, weight: RestartPolicy.Weight = .one, at now: Duration,
        _ jitter: Double
    ) -> Action {
        let cause = cause(of: end)
        killedFor = nil
        switch phase {
        case .draining, .drained:
            phase = .drained
            return .drained
        case .idle, .degraded, .restarting: return .ignore
        case .starting, .running:
            crashes += 1
            death = WorkerDeath(cause: cause, at: now)
            guard !isWithdrawn else {
                phase = .idle
                return .giveUp(waiters: takeWaiters())
            }
            switch policy.workerDied(
                at: now, weight: cause.recurs ? .one : weight, jitter: jitter)
            {
            case .restart(let delay) where !cause.recurs:
                phase = .restarting
                return .restart(after: delay)
            case .restart, .degrade:
                phase = .degraded
                return .giveUp(waiters: takeWaiters())
            }
        }
    }

    // MARK: - The program

    /// The worker's program is gone: a running worker continues, and no other is started. Returns
    /// the waiters that end without a worker.
    mutating func programWithdrawn() -> [UInt64] {
        isWithdrawn = true
        switch phase {
        case .starting where !hasChild, .restarting, .degraded:
            phase = .idle
            return takeWaiters()
        case .idle, .starting, .running, .draining, .drained: return []
        }
    }

    /// The program has been replaced, or is available again, from the next start on. Earlier deaths
    /// no longer count.
    mutating func programReplaced(restart: RestartLimit = RestartLimit()) {
        isWithdrawn = false
        self.restart = restart
        policy = RestartPolicy(restart)
        if phase == .degraded { phase = .idle }
    }

    /// Whether there is neither a worker nor a program.
    var isOver: Bool { isWithdrawn && phase == .idle }

    // MARK: - The end

    /// napkind is shutting down: the worker must end in good order.
    mutating func drainRequested() -> DrainAction {
        let waiters = takeWaiters()
        if case .running(let connection, _) = phase {
            phase = .draining(connection: connection)
            return .tell(waiters: waiters)
        }
        phase = hasChild ? .draining(connection: nil) : .drained
        return hasChild ? .terminate(waiters: waiters) : .none(waiters: waiters)
    }

    /// The worker has taken too long to end. Returns whether to kill its process; a process that is
    /// not a child is left alone.
    mutating func drainOverdue() -> Bool {
        guard case .draining = phase else { return false }
        if !hasChild { phase = .drained }
        return hasChild
    }
}
