// IncomingCall: a message that has arrived, and its answer; the calls of a node and of a view, and
// the receiver that decodes the message.
//
// Layer      core vocabulary; the runtime's subclasses send the answer back.
// Ownership  a call of a node keeps the node until its handler has returned; the node keeps a call
//            whose handler has suspended itself. A front's node keeps its view's call.
// Invariant  `succeed` or `fail` is called exactly once.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// One delivered message, from its arrival to its answer.
///
/// A receiver calls `start(_:)` once; the handler ends with `succeed` or `fail`. The base class
/// drops the answer, which is right for states and effects.
@MainActor
open class IncomingCall {
    /// The code that a receiver runs for a call.
    public typealias Handler = @MainActor (IncomingCall) async -> Void

    /// The call whose handler the running task executes.
    package static var current: IncomingCall? { HandlerTask.current?.call }

    /// As `current`; `nil` also while another thread looks for its own. For a signal's handler.
    package nonisolated static var currentIfKnown: IncomingCall? {
        HandlerTask.currentIfKnown?.call
    }

    /// The tasks of this process that run handlers.
    package static let handlers = HandlerPool()

    public init() {}

    // SAFETY: @exclusivity(unchecked): all access is on the main actor, or in the handler of the
    // signal that ends the process.
    /// The process's note of the input, kept while its handler waits or runs elsewhere.
    @exclusivity(unchecked) nonisolated(unsafe) package final var flight: [UInt8]?

    /// The front that sent the message, if one did.
    open nonisolated var caller: AttachedFront? { nil }

    /// Runs `handler` in a task, immediately up to its first suspension.
    package final func start(_ handler: @escaping Handler) { start(.closure(handler)) }

    /// Handles a message in a task, immediately up to the first suspension: until then, the
    /// message's borrowed bytes must stay valid.
    package func start(_ handling: consuming Handling) {
        let handling = handling
        _ = Task.immediate { await handling.run(for: self) }
    }

    /// Runs `body` in the running task as this call's handler.
    package final func asCurrent<R>(
        for standIn: StandIn? = nil, _ body: @MainActor () async -> R
    ) async -> R {
        HandlerTask(for: standIn).enter(at: self)
        defer { HandlerTask.leave() }
        return await asOrigin(body)
    }

    /// Runs `body`; tasks that it starts, including child tasks, have this call as their `origin`.
    package final func asOrigin<R>(_ body: @MainActor () async -> R) async -> R {
        await TaskOrigin.$call.withValue(self) { await body() }
    }

    /// The call whose handler the running task executes, or whose handler started that task,
    /// directly or through other tasks.
    package static var origin: IncomingCall? { current ?? TaskOrigin.call }

    /// The handler has returned. Called by a driver that runs several calls' handlers in one task.
    open func finish() {}

    /// Answers with the value that `encode` writes.
    open func succeed(_ encode: PayloadEncoder) {}

    /// Answers a method without a result.
    open func succeed() {}

    /// Answers with the fault that reports `error`.
    open func fail(_ error: any Error) {}
}

/// The code that handles a call's message.
@MainActor
public enum Handling {
    case closure(IncomingCall.Handler)
    /// The payload is borrowed.
    case message(CrossingReceiver, MethodID, UnsafeRawBufferPointer)

    /// Returns when the handler has returned.
    package func run(for call: IncomingCall) async {
        switch self {
        case .closure(let handler): await handler(call)
        case .message(let receiver, let method, let payload):
            await receiver.handle(ReceivedMessage(call, receiver, method, payload), nil)
        }
    }
}

/// The facts that tasks inherit from the handler or the bound task that started them.
package enum TaskOrigin {
    @TaskLocal static var call: IncomingCall?
    /// The process's note of the bound task.
    @TaskLocal package static var boundTask: [UInt8]?

    /// Called with the description of a bound task that begins.
    @MainActor package static var note: (@MainActor (String) -> NotedTask)?

    package enum NotedTask {
        case runs([UInt8]?)
        /// It has ended its worker twice.
        case isSetAside(receipt: UInt64)
    }
}

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

/// A presented state or effect, which needs no answer; a failure is reported. One call serves all
/// messages of a view.
@MainActor
package final class PresentCall: IncomingCall {
    package let receiver: CrossingReceiver
    private let feature: FeatureID
    private let pool: HandlerPool

    package init(
        _ receiver: CrossingReceiver, of feature: FeatureID,
        in pool: HandlerPool = IncomingCall.handlers
    ) {
        self.receiver = receiver
        self.feature = feature
        self.pool = pool
        super.init()
    }

    package override func start(_ handling: consuming Handling) {
        if pool.hasFree { pool.run(self, handling) } else { super.start(handling) }
    }

    package override func fail(_ error: any Error) {
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}

extension ReceivedMessage {
    /// A message for a view.
    package init(_ call: PresentCall, _ method: MethodID, _ payload: UnsafeRawBufferPointer) {
        self.init(call, call.receiver, method, payload)
    }
}

/// Decodes the messages of one crossing and calls its target.
///
/// `@Crossing` generates a subclass for each protocol. A class rather than a protocol: an
/// asynchronous call through a protocol runs through one more function, with its own frame.
@MainActor
open class CrossingReceiver {
    public init() {}

    /// The numbers of the methods that are marked ``Secret()``.
    open var secrets: [UInt32] { [] }

    /// Starts the handler of a message; `payload` is borrowed for this call.
    ///
    /// The call is answered `.unimplemented` for an unknown method or unreadable arguments.
    package final func receive(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
    ) { call.start(.message(self, method, payload)) }

    /// Decodes a message and handles it in the running task, then the runner's next ones, as long
    /// as they are for this receiver:
    ///
    /// ```swift
    /// repeat { … } while message.advance(in: runner)
    /// ```
    open func handle(_ message: consuming ReceivedMessage, _ runner: HandlerRunner?) async {
        repeat { refuse(message.method, message.call) } while message.advance(in: runner)
    }

    private func refuse(_ method: MethodID, _ call: IncomingCall) {
        let number = String(method.rawValue, radix: 16)
        call.fail(RemoteFault(.unimplemented, "the feature has no method 0x\(number)"))
    }
}
