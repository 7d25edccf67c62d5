// HandlerTask: the call that a handler's task is executing, for any code that runs in that task.
//
// Isolation  any thread (Mutex); a task looks up only itself.
// Ownership  a task is known from `enter` to `leave`.

import Synchronization

final class HandlerTask: Sendable {
    /// The tasks of this process that run handlers.
    private static let all = Mutex<[TaskIdentity: HandlerTask]>([:])

    // SAFETY: written by the task that it describes, in between its handlers, and read by that
    // task alone, in its handlers. The task keeps the call that this refers to.
    nonisolated(unsafe) unowned(unsafe) var call: IncomingCall?

    /// Lets this task act for another task; `nil` if it acts for itself.
    let standIn: StandIn?
    private let wasCancelled = Atomic(false)

    init(for standIn: StandIn? = nil) { self.standIn = standIn }

    /// Whether `cancelled()` has been called.
    @inline(__always) var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

    /// The running task's entry; `nil` if it runs no handler.
    static var current: HandlerTask? {
        TaskIdentity.current.flatMap { task in all.withLock { $0[task] } }
    }

    /// As `current`; `nil` also while another thread has the lock.
    static var currentIfKnown: HandlerTask? {
        TaskIdentity.current.flatMap { task in all.withLockIfAvailable { $0[task] } ?? nil }
    }

    /// Describes the running task from now on.
    func enter(at call: IncomingCall? = nil) {
        self.call = call
        if let identity = TaskIdentity.current { Self.all.withLock { $0[identity] = self } }
    }

    /// The running task no longer runs handlers.
    static func leave() {
        guard let identity = TaskIdentity.current else { return }
        _ = all.withLock { $0.removeValue(forKey: identity) }
    }

    /// The task has been cancelled.
    func cancelled() { wasCancelled.store(true, ordering: .relaxed) }
}
