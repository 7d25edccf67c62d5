// SupervisionStateMachine: the life cycle of one app's worker, as supervised by napkind.
//
// Isolation  value; owned by one supervisor. Time and randomness are parameters.
// Invariant  every waiter ends once; a worker is started only if none is known to live.
// Spec       Protocol/SPEC.md, section 1 (Roles and processes)

/// Decides when a worker is started, restarted, given up and ended.
public struct SupervisionStateMachine: Hashable, Sendable {
    /// The action to take for a front that needs the worker.
    public enum RequestAction: Equatable, Sendable {
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
    public enum Attempt: Equatable, Sendable {
        case started
        /// The worker of an earlier napkind is alive and will register.
        case anotherLives
        case failed
    }

    /// The action to take after an attempt to start a worker.
    public enum AttemptAction: Equatable, Sendable {
        case awaitRegistration
        /// Report `timerFired` after this time.
        case lookAgain(after: Duration)
        case died(DeathAction)
    }

    /// The action to take after a worker's death.
    public enum DeathAction: Equatable, Sendable {
        /// Report `timerFired` after this time.
        case restart(after: Duration)
        /// Tell these waiters that there is no worker.
        case giveUp(waiters: [UInt64])
        /// The worker was meant to end.
        case drained
        /// The worker had been replaced, or was already dead.
        case ignore
    }

    /// The action to take after a registration.
    public enum RegisterAction: Equatable, Sendable {
        /// Wake these waiters.
        case run(waiters: [UInt64])
        /// napkind is shutting down: tell the worker to end.
        case drain
    }

    /// The action to take to drain the worker. The waiters end without a worker.
    public enum DrainAction: Equatable, Sendable {
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

    /// The time between two checks on an earlier napkind's worker, until it registers. Chosen.
    static let lookInterval = Duration.milliseconds(100)

    private var phase = Phase.idle
    private var restart: RestartLimit
    private var policy: RestartPolicy
    private var waiters: [UInt64] = []
    private var hasChild = false
    /// Whether there is no program for the next worker.
    public private(set) var isWithdrawn = false
    /// How often the worker died unexpectedly.
    public private(set) var crashes = 0

    public init(restart: RestartLimit = RestartLimit()) {
        self.restart = restart
        policy = RestartPolicy(restart)
    }

    /// The app's state, for listings.
    public var state: AppInfo.State {
        switch phase {
        case .idle, .drained: .idle
        case .starting: .starting
        case .running, .draining: .running
        case .restarting: .restarting
        case .degraded: .degraded
        }
    }

    /// Whether the worker is to end, or has ended.
    public var isDraining: Bool {
        switch phase {
        case .draining, .drained: true
        default: false
        }
    }

    // MARK: - Fronts

    /// A front needs the worker; `waiter` is the driver's number for it.
    public mutating func workerRequested(by waiter: UInt64, at now: Duration) -> RequestAction {
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
    public mutating func waiterTimedOut(_ waiter: UInt64) -> Bool {
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
    public mutating func startAttempted(
        _ attempt: Attempt, at now: Duration, jitter: Double
    ) -> AttemptAction {
        guard phase == .starting else { return .awaitRegistration }
        switch attempt {
        case .started:
            hasChild = true
            return .awaitRegistration
        case .anotherLives: return .lookAgain(after: Self.lookInterval)
        case .failed: return .died(died(at: now, jitter))
        }
    }

    /// The delay of an earlier action has passed. Returns whether to start a worker now.
    public mutating func timerFired() -> Bool {
        switch phase {
        case .restarting:
            phase = .starting
            return true
        case .starting: return !hasChild
        case .idle, .running, .degraded, .draining, .drained: return false
        }
    }

    /// A worker has registered on this connection.
    public mutating func registered(on connection: UInt64) -> RegisterAction {
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
    public mutating func connectionEnded(
        _ connection: UInt64, at now: Duration, jitter: Double
    ) -> DeathAction {
        switch phase {
        case .running(connection, isChild: true):
            phase = .starting
            return .ignore
        case .running(connection, isChild: false): return died(at: now, jitter)
        case .draining(connection) where !hasChild: return died(at: now, jitter)
        default: return .ignore
        }
    }

    /// The child has ended.
    ///
    /// - Parameter wasSilent: whether it was ended because it did not register. Another one would
    ///   end in the same way.
    public mutating func childExited(
        at now: Duration, jitter: Double, wasSilent: Bool = false
    ) -> DeathAction {
        guard hasChild else { return .ignore }
        hasChild = false
        return died(at: now, jitter, wasSilent: wasSilent)
    }

    private mutating func died(
        at now: Duration, _ jitter: Double, wasSilent: Bool = false
    ) -> DeathAction {
        switch phase {
        case .draining, .drained:
            phase = .drained
            return .drained
        case .idle, .degraded, .restarting: return .ignore
        case .starting, .running:
            crashes += 1
            guard !isWithdrawn else {
                phase = .idle
                return .giveUp(waiters: takeWaiters())
            }
            switch policy.workerDied(at: now, jitter: jitter) {
            case .restart(let delay) where !wasSilent:
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
    public mutating func programWithdrawn() -> [UInt64] {
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
    public mutating func programReplaced(restart: RestartLimit = RestartLimit()) {
        isWithdrawn = false
        self.restart = restart
        policy = RestartPolicy(restart)
        if phase == .degraded { phase = .idle }
    }

    /// Whether there is neither a worker nor a program.
    public var isOver: Bool { isWithdrawn && phase == .idle }

    // MARK: - The end

    /// napkind is shutting down: the worker must end in good order.
    public mutating func drainRequested() -> DrainAction {
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
    public mutating func drainOverdue() -> Bool {
        guard case .draining = phase else { return false }
        if !hasChild { phase = .drained }
        return hasChild
    }
}
