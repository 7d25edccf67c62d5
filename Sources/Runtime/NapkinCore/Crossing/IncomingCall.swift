// IncomingCall: one message that has arrived and the answer it is owed.
//
// Layer      core vocabulary; the runtime's subclasses send the answer back.
// Invariant  `succeed` or `fail` is called exactly once.

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
    /// What the process has noted of the input, for as long as its handler waits or runs elsewhere.
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

/// The value that tasks inherit from the handler that started them.
enum TaskOrigin {
    @TaskLocal static var call: IncomingCall?
}
