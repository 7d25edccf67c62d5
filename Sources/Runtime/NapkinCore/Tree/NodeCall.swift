// NodeCall: a call that ends with its node.
//
// Ownership  keeps its node until its handler has returned; the node keeps a call whose handler has
//            suspended itself.

/// An incoming call bound to a node. Unmounting the node cancels it, unless it is the cause.
@MainActor
open class NodeCall: IncomingCall {
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and no access spans a
    // call of the handler or the node.
    @exclusivity(unchecked) private var node: FeatureNode?
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    /// Whether the handler has returned: nobody waits for this call any longer.
    @exclusivity(unchecked) package private(set) var isFinished = false
    @exclusivity(unchecked) private var isAdopted = false

    package init(node: FeatureNode) {
        self.node = node
        super.init()
    }

    /// Prepares a finished call for the next event.
    package final func reuse(for node: FeatureNode) {
        precondition(isFinished, "the call of an event that is being handled")
        self.node = node
        isFinished = false
        if task != nil { task = nil }
    }

    /// Returns the message that this call answers; the node's receiver handles its method.
    package final func message(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage {
        guard let receiver = node?.receiver else {
            preconditionFailure("a message for a node without a receiver")
        }
        return ReceivedMessage(self, receiver, method, payload)
    }

    package final override func start(_ handling: consuming Handling) {
        launch(handling)
        handledUpToSuspension()
    }

    /// The handler has returned or suspended itself for the first time.
    package final func handledUpToSuspension() {
        guard !isFinished, !isAdopted else { return }
        isAdopted = true
        node?.adopt(self)
    }

    /// Handles the message immediately, up to the first suspension, and calls `finish()` after it.
    open func launch(_ handling: consuming Handling) {
        let handling = handling
        task = Task.immediate {
            HandlerTask().enter(at: self)
            await handling.run(for: self)
            HandlerTask.leave()
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

    /// Cancels the handler, if it runs.
    package final func cancel() { runningTask?.cancel() }
}
