// NodeCall: an event's handler while it runs, known to its node so that detach can cancel it.
//
// Layer      core; the runtime subclasses it with the reply's way back.
// Isolation  @MainActor: the loop thread of the process.

/// An incoming call bound to a node. Cancelled when the node is unmounted, unless it is the cause.
@MainActor
open class NodeCall: IncomingCall {
    private weak var node: FeatureNode?
    private var task: Task<Void, Never>?
    private(set) var identity: TaskIdentity?
    private var isFinished = false

    public init(node: FeatureNode) {
        self.node = node
        super.init()
    }

    public final override func start(_ handler: @escaping @MainActor (IncomingCall) async -> Void) {
        let task = Task.immediate {
            self.identity = TaskIdentity.current
            await handler(self)
            self.finish()
        }
        guard !isFinished else { return }
        self.task = task
        node?.adopt(self)
    }

    func cancel() { task?.cancel() }

    private func finish() {
        isFinished = true
        guard task != nil else { return }
        task = nil
        node?.release(self)
    }
}
