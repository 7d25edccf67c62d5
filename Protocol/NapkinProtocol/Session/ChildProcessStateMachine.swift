// ChildProcessStateMachine: the life of the process in which a child runs, as its worker sees it.
//
// Isolation  value; owned by one child. Time and randomness are parameters.
// Invariant  at most one process exists; each process that ends unasked is reported once, after
//            everything that it has sent has been handled.
// Spec       Protocol/CHILD.md, section 4 (Life)

package import NapkinCoding

/// Decides when a child's process is started, ended, reported and restarted.
package struct ChildProcessStateMachine: Sendable {
    /// The action to take.
    package enum Action: Equatable, Sendable {
        /// Start a process, and report `failed` if that fails, and `timerFired` after the time that
        /// a child has to become active.
        case start
        /// The child has become active, or has failed to: the caller of `activated` continues.
        case activated
        /// Ask the child to end.
        case detach
        case kill
        /// Make the process note where it is, and die. Report `timerFired` after `abortTime`.
        case abort
        /// The child has resigned: the caller of `resigned` continues.
        case resigned
        /// The process has ended: the caller of `resigned` continues, if it still waits.
        case left
        /// Ask the parent what to do about the child, and report `decided`.
        case report(ChildEnd)
        /// Report `timerFired` after this time, and not after an earlier one.
        case wait(Duration)
        /// Detach the child.
        case giveUp
    }

    private enum State: Equatable, Sendable {
        case idle
        /// A process exists; `isActive` once the child is.
        case running(isActive: Bool)
        /// A process is ending, or is being ended, unasked. It has ended when `exit` and the end of
        /// its connection are known.
        case dying(why: ChildEnd?, exit: ChildEnd?, hasHungUp: Bool, wasActive: Bool)
        /// The process has been asked to end, or no longer needs to end in good order.
        case leaving(Leaving)
        /// The parent is being asked.
        case crashed
        case pausing
    }

    private struct Leaving: Equatable, Sendable {
        var exit: ChildEnd?
        var hasHungUp = false
        /// Whether only event handlers still run there.
        var hasResigned = false
        /// Whether the child is to become active again.
        var isWanted = false
    }

    /// The time that a child has to leave. Chosen: as long as the handlers of a worker that ends,
    /// for which napkind waits 5 s.
    package static let leavingTime = Duration.seconds(2)
    /// The time that a process has to note where it is. Chosen: it takes some milliseconds.
    package static let abortTime = Duration.seconds(1)

    private var state = State.idle
    private var policy: RestartPolicy
    /// The number of crashes, which identifies the crash that the parent is asked about.
    package private(set) var crashes = 0

    package init() {
        var limit = RestartLimit()
        // The parent decides how often: the policy only decides how fast.
        limit.times = .max
        policy = RestartPolicy(limit)
    }

    /// Whether the child takes events.
    package var isActive: Bool { state == .running(isActive: true) }

    // MARK: - The parent's wishes

    /// The child is to become active.
    package mutating func activated() -> [Action] {
        switch state {
        case .idle:
            state = .running(isActive: false)
            return [.start]
        case .leaving(var leaving):
            // The former process must end first: there is one at a time.
            leaving.isWanted = true
            state = .leaving(leaving)
            return leaving.exit == nil ? [.kill] : []
        default: return [.activated]
        }
    }

    /// The parent detaches the child; its process is asked to end, and killed if it does not.
    package mutating func resigned() -> [Action] {
        switch state {
        case .idle, .crashed, .pausing:
            state = .idle
            return [.left]
        case .running:
            state = .leaving(Leaving())
            return [.detach, .wait(Self.leavingTime)]
        case .dying(_, let exit, let hasHungUp, _):
            state = .leaving(Leaving(exit: exit, hasHungUp: hasHungUp))
            return []
        case .leaving: return []
        }
    }

    /// The parent has decided about the child after that crash. A restart is delayed further by the
    /// fraction `jitter`, in 0..<1, of its delay.
    package mutating func decided(
        _ crash: Int, restarts: Bool, at now: Duration, jitter: Double
    ) -> [Action] {
        // The child may have been detached, attached again, and crashed again.
        guard state == .crashed, crash == crashes else { return [] }
        guard restarts, case .restart(let delay) = policy.workerDied(at: now, jitter: jitter) else {
            state = .idle
            return [.giveUp]
        }
        state = .pausing
        return [.wait(delay)]
    }

    // MARK: - The process

    /// The child has become active.
    package mutating func attached() -> [Action] {
        guard state == .running(isActive: false) else { return [] }
        state = .running(isActive: true)
        return [.activated]
    }

    /// The child has resigned: only event handlers still run in its process.
    package mutating func resignedItself() -> [Action] {
        guard case .leaving(var leaving) = state, !leaving.hasResigned else { return [] }
        leaving.hasResigned = true
        state = .leaving(leaving)
        return [.resigned]
    }

    /// The process was not started.
    package mutating func failed(_ reason: String) -> [Action] {
        guard case .running(let isActive) = state else { return [] }
        return crash(.refused(reason), wasActive: isActive)
    }

    /// The child's loop has not answered in time, or the child has not become active.
    package mutating func hung() -> [Action] { die(because: .hung, hasHungUp: false) }

    /// The connection has ended; everything that came over it has been handled.
    ///
    /// - Parameter reason: why, unless the process has ended or has closed the connection.
    package mutating func hungUp(_ reason: String?) -> [Action] {
        die(because: reason.map(ChildEnd.refused), hasHungUp: true)
    }

    /// The process has ended: it has exited, or was signalled.
    package mutating func exited(_ exit: ChildEnd) -> [Action] {
        switch state {
        case .running(let isActive):
            state = .dying(why: nil, exit: exit, hasHungUp: false, wasActive: isActive)
        case .dying(let why, nil, let hasHungUp, let wasActive):
            state = .dying(why: why, exit: exit, hasHungUp: hasHungUp, wasActive: wasActive)
        case .leaving(var leaving) where leaving.exit == nil:
            leaving.exit = exit
            state = .leaving(leaving)
        default: return []
        }
        return endIfComplete()
    }

    /// The time of `start`, `abort` or `wait` has passed.
    ///
    /// - Parameter isAwaited: whether a call of the child that detaches it is running, and a
    ///   handler there waits for the answer.
    package mutating func timerFired(isAwaited: Bool = false) -> [Action] {
        switch state {
        case .running(isActive: false): return hung()
        case .dying(_, nil, _, _): return [.kill]
        case .leaving(let leaving) where leaving.exit == nil:
            return leaving.hasResigned && isAwaited ? [.wait(Self.leavingTime)] : [.kill]
        case .pausing:
            state = .running(isActive: false)
            return [.start]
        default: return []
        }
    }

    private mutating func die(because why: ChildEnd?, hasHungUp: Bool) -> [Action] {
        switch state {
        case .running(let isActive):
            state = .dying(why: why, exit: nil, hasHungUp: hasHungUp, wasActive: isActive)
            return why == .hung ? [.abort] : [.kill]
        case .dying(let known, let exit, _, let wasActive) where hasHungUp:
            state = .dying(
                why: known ?? why, exit: exit, hasHungUp: true, wasActive: wasActive)
        case .leaving(var leaving) where hasHungUp:
            leaving.hasHungUp = true
            state = .leaving(leaving)
        default: return []
        }
        return endIfComplete()
    }

    /// Ends the life of a process once both of its ends are known.
    private mutating func endIfComplete() -> [Action] {
        switch state {
        case .dying(let why, let exit?, true, let wasActive):
            return crash(why ?? exit, wasActive: wasActive)
        case .leaving(let leaving) where leaving.exit != nil && leaving.hasHungUp:
            state = leaving.isWanted ? .running(isActive: false) : .idle
            return leaving.isWanted ? [.left, .start] : [.left]
        default: return []
        }
    }

    private mutating func crash(_ cause: ChildEnd, wasActive: Bool) -> [Action] {
        state = .crashed
        crashes += 1
        return (wasActive ? [] : [.activated]) + [.report(cause)]
    }
}
