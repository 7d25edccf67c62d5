// NodeCall: a running event handler, known to its node so that detaching can cancel it.
//
// Layer      core; the runtime's subclass sends the reply back.
// Isolation  @MainActor: the loop thread of the process.
// Ownership  keeps its node until the handler has finished; may then be reused for another event.

/// An incoming call bound to a node. Unmounting the node cancels it, unless it is the cause.
@MainActor
open class NodeCall: IncomingCall {
    @exclusivity(unchecked) private var node: FeatureNode?
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    /// Whether the handler has returned: nobody waits for this call any longer.
    @exclusivity(unchecked) public private(set) var isFinished = false
    @exclusivity(unchecked) private var isAdopted = false

    public init(node: FeatureNode) {
        self.node = node
        super.init()
    }

    /// Prepares a finished call for the next event.
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

    /// Runs `handler` immediately, up to its first suspension, and `finish()` after it.
    open func launch(_ handler: consuming @escaping Handler) {
        let handler = handler
        task = Task.immediate {
            await handler(self)
            self.finish()
        }
    }

    /// The task of a handler that has started and suspended.
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
