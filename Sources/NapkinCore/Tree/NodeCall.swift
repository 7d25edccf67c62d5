// NodeCall: an event's handler while it runs, known to its node so that detach can cancel it.
//
// Layer      core; the runtime subclasses it with the reply's way back.
// Isolation  @MainActor: the loop thread of the process.
// Ownership  keeps its node until the handler has finished.

/// An incoming call bound to a node. Cancelled when the node is unmounted, unless it is the cause.
@MainActor
open class NodeCall: IncomingCall {
    /// What a receiver runs for a call.
    public typealias Handler = @MainActor (IncomingCall) async -> Void

    private let node: FeatureNode
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    @exclusivity(unchecked) private var isFinished = false

    public init(node: FeatureNode) {
        self.node = node
        super.init()
    }

    public final override func start(_ handler: @escaping Handler) {
        let task = launch(handler)
        guard !isFinished else { return }
        self.task = task
        node.adopt(self)
    }

    /// Runs `handler` at once, up to its first suspension, and `finish()` after it. Returns the
    /// task, which belongs to this call until then.
    open func launch(_ handler: @escaping Handler) -> Task<Void, Never> {
        Task.immediate {
            await handler(self)
            self.finish()
        }
    }

    /// The handler has returned.
    public final func finish() {
        isFinished = true
        guard task != nil else { return }
        task = nil
        node.release(self)
    }

    /// The task of a handler that has suspended.
    var identity: TaskIdentity? { task.map { TaskIdentity(of: $0) } }

    func cancel() { task?.cancel() }
}
