// NodeCall: an event's handler while it runs, known to its node so that detach can cancel it.
//
// Layer      core; the runtime subclasses it with the reply's way back.
// Isolation  @MainActor: the loop thread of the process.
// Ownership  keeps its node until the handler has finished; may then be used for another event.

/// An incoming call bound to a node. Cancelled when the node is unmounted, unless it is the cause.
@MainActor
open class NodeCall: IncomingCall {
    @exclusivity(unchecked) private var node: FeatureNode?
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    /// Whether the handler has returned: nobody waits for this call any more.
    @exclusivity(unchecked) public private(set) var isFinished = false
    @exclusivity(unchecked) private var isAdopted = false

    public init(node: FeatureNode) {
        self.node = node
        super.init()
    }

    /// Takes a finished call for the next event.
    public final func reuse(for node: FeatureNode) {
        precondition(isFinished, "the call of an event that is being handled")
        self.node = node
        isFinished = false
        if task != nil { task = nil }
    }

    public final override func start(_ handler: consuming @escaping Handler) {
        launch(handler)
        guard !isFinished else { return }
        isAdopted = true
        node?.adopt(self)
    }

    /// Runs `handler` at once, up to its first suspension, and `finish()` after it.
    open func launch(_ handler: consuming @escaping Handler) {
        let handler = handler
        task = Task.immediate {
            await handler(self)
            self.finish()
        }
    }

    /// The task of a handler that has been launched and has suspended.
    open var runningTask: Task<Void, Never>? { task }

    /// The handler has returned.
    public final override func finish() {
        isFinished = true
        if isAdopted {
            isAdopted = false
            node?.release(self)
        }
        node = nil
    }

    var identity: TaskIdentity? { runningTask.map { TaskIdentity(of: $0) } }

    func cancel() { runningTask?.cancel() }
}
