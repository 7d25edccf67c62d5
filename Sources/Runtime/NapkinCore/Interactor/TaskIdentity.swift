// TaskIdentity: identifies the running task, so that a wait never waits for its own caller.

import Synchronization

/// The identity of a running task. Compare it only while the task that it names is alive.
package struct TaskIdentity: Hashable, Sendable {
    private let bits: UInt

    private init(bits: UInt) { self.bits = bits }

    /// The identity of a task, equal to `current` inside it: both hash the task's address.
    init(of task: Task<Void, Never>) { self.init(bits: UInt(bitPattern: task.hashValue)) }

    /// The task that runs this code; `nil` outside any task.
    package static var current: TaskIdentity? {
        withUnsafeCurrentTask { task in
            task.map { TaskIdentity(bits: UInt(bitPattern: $0.hashValue)) }
        }
    }

    /// The task on whose behalf this code runs: the one that it stands in for, or its own.
    static var effective: TaskIdentity? { HandlerTask.current?.standIn?.task ?? current }
}

/// Lets handlers stand in for a task that waits, in another process, for the code that calls them.
/// Nothing that waits for that task, or belongs to it, waits for these handlers.
///
/// The task itself does wait for them, since their work is part of its work.
@MainActor
package final class StandIn {
    /// The call whose handler the task executes.
    package let call = IncomingCall.current
    private nonisolated let waiting = Mutex(TaskIdentity.effective)
    private var count = 0
    private var ended: CheckedContinuation<Void, Never>?

    /// Stands in for the running task.
    package init() {}

    /// The task, while it waits.
    nonisolated var task: TaskIdentity? { waiting.withLock(\.self) }

    package func handlerBegins() { count += 1 }

    package func handlerReturned() {
        count -= 1
        if count == 0 { ended.take()?.resume() }
    }

    /// Returns when all handlers have returned. The task no longer waits.
    package func end() async {
        if count > 0 { await withCheckedContinuation { ended = $0 } }
        waiting.withLock { $0 = nil }
    }
}
