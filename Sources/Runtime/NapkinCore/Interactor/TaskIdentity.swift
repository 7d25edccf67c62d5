// TaskIdentity: identifies the running task, so that a wait never waits for its own caller.

/// The identity of a running task. Compare it only while the task that it names is alive.
struct TaskIdentity: Hashable, Sendable {
    private let bits: UInt

    private init(bits: UInt) {
        self.bits = bits
    }

    /// The identity of a task, equal to `current` inside it: both hash the task's address.
    init(of task: Task<Void, Never>) {
        self.init(bits: UInt(bitPattern: task.hashValue))
    }

    /// The task that runs this code; `nil` outside any task.
    static var current: TaskIdentity? {
        withUnsafeCurrentTask { task in
            task.map { TaskIdentity(bits: UInt(bitPattern: $0.hashValue)) }
        }
    }
}
