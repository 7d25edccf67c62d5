// ManualClock: a clock whose time passes only when a test moves it.
//
// Isolation  any thread (Mutex).

import Synchronization

/// A clock that stands still until it is moved.
///
/// Pass it to the tested code as an `AnyClock`, or as a `Clock` of any type. Move it only after the
/// code that should sleep has fallen asleep: `waitForSleeper(for:)` waits for that, and so does
/// `wakeNext()`.
public final class ManualClock: Clock, Sendable {
    /// A point in time, counted from the clock's beginning.
    public struct Instant: InstantProtocol, Sendable {
        public var offset: Duration

        public init(offset: Duration = .zero) { self.offset = offset }

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let duration: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        let count: Int
        /// The sleep's duration to wait for; `nil` matches any.
        let duration: Duration?
        let continuation: CheckedContinuation<Void, Never>

        func isMet(by sleepers: [Sleeper]) -> Bool {
            sleepers.count { duration == nil || duration == $0.duration } >= count
        }
    }

    private struct State {
        var now = Instant()
        var lastID: UInt64 = 0
        /// The sleepers in the order of waking: by deadline, then by when they fell asleep.
        var sleepers: [Sleeper] = []
        var waiters: [Waiter] = []
        var cancelled: Set<UInt64> = []
        var whenMoved: @Sendable () -> Void = {}

        mutating func insert(_ sleeper: Sleeper) -> [Waiter] {
            let index = sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? sleepers.endIndex
            sleepers.insert(sleeper, at: index)
            let woken = waiters.filter { $0.isMet(by: sleepers) }
            if !woken.isEmpty { waiters.removeAll { $0.isMet(by: sleepers) } }
            return woken
        }

        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.prefix { $0.deadline <= now }
            sleepers.removeFirst(due.count)
            return Array(due)
        }
    }

    private enum Bedtime {
        case asleep([Waiter])
        case due
        case cancelled
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { state.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Returns the number of sleeping tasks whose sleep lasts `duration`.
    public func sleeperCount(for duration: Duration) -> Int {
        state.withLock { $0.sleepers.count { $0.duration == duration } }
    }

    // MARK: - Sleeping

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleep { _ in deadline }
    }

    /// Sleeps until the clock has been moved by `duration`.
    ///
    /// Throws `CancellationError` if the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await sleep { $0.advanced(by: duration) }
    }

    private func sleep(_ deadline: (Instant) -> Instant) async throws {
        let (id, now) = state.withLock { state in
            state.lastID += 1
            return (state.lastID, state.now)
        }
        let deadline = deadline(now)
        // A cancellation between waking and returning has no effect.
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(
                    id: id, deadline: deadline, duration: now.duration(to: deadline),
                    continuation: continuation)
                switch bed(sleeper) {
                case .asleep(let waiters):
                    for waiter in waiters { waiter.continuation.resume() }
                case .due: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func bed(_ sleeper: Sleeper) -> Bedtime {
        state.withLock { state in
            if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            return .asleep(state.insert(sleeper))
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    // MARK: - Moving

    /// Calls `body` whenever the clock has been moved.
    package func whenMoved(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenMoved = body }
    }

    private func woke(_ due: [Sleeper]) {
        for sleeper in due { sleeper.continuation.resume() }
        state.withLock { $0.whenMoved }()
    }

    /// Moves the clock and wakes the tasks that are due, in the order of their deadlines. Returns
    /// before they run.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            return state.takeDue()
        }
        woke(due)
    }

    /// Waits until a task sleeps, then moves the clock to the earliest deadline and wakes the tasks
    /// due at it.
    public func wakeNext() async {
        while true {
            await waitForSleeper()
            let due = state.withLock { state in
                if let first = state.sleepers.first { state.now = max(state.now, first.deadline) }
                return state.takeDue()
            }
            woke(due)
            if !due.isEmpty { return }
        }
    }

    /// Waits until a task sleeps for `duration`, then moves the clock by that duration: one such
    /// interval passes, and every task that comes due in it wakes.
    public func pass(_ duration: Duration) async {
        await waitForSleeper(for: duration)
        advance(by: duration)
    }

    /// Returns when a task sleeps; if `duration` is given, for that long.
    public func waitForSleeper(for duration: Duration? = nil) async { await wait(for: 1, duration) }

    /// Returns when `count` tasks sleep at the same time.
    public func waitForSleepers(_ count: Int) async { await wait(for: count, nil) }

    private func wait(for count: Int, _ duration: Duration?) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                let waiter = Waiter(count: count, duration: duration, continuation: continuation)
                if waiter.isMet(by: state.sleepers) { return true }
                state.waiters.append(waiter)
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
