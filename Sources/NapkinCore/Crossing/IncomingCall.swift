// IncomingCall: one message that has arrived and the answer it is owed.
//
// Layer      core vocabulary; the runtime subclasses it with the answer's way back.
// Isolation  @MainActor: the loop thread of the process.
// Invariant  `succeed` or `fail` is called exactly once.

/// One delivered message, from its arrival to its answer.
///
/// Generated receivers decode the arguments, then call `start(_:)` once; the handler ends with
/// `succeed` or `fail`. The base class drops the answer, which is right for state and effects.
@MainActor
open class IncomingCall {
    /// What a receiver runs for a call.
    public typealias Handler = @MainActor (IncomingCall) async -> Void

    /// The tasks of this process that run handlers.
    public static let handlers = HandlerPool()

    public init() {}

    /// Runs `handler` at once, up to its first suspension, in a task of its own. It takes over the
    /// handler, and with it what the handler has captured.
    open func start(_ handler: consuming @escaping Handler) {
        let handler = handler
        _ = Task.immediate { await handler(self) }
    }

    /// The handler has returned. Called by whoever runs handlers of other calls in the same task.
    open func finish() {}

    /// Answers with the value that `encode` writes.
    open func succeed(_ encode: PayloadEncoder) {}

    /// Answers with a value, or with what `encode` writes, which is the same encoded: which of the
    /// two depends on whether the caller is in this process.
    open func succeed(value: any Sendable, _ encode: PayloadEncoder) { succeed(encode) }

    /// Answers a method without a result.
    open func succeed() {}

    /// Answers with the fault that reports `error`.
    open func fail(_ error: any Error) {}
}
