// RemoteFault: the failure of a call over a crossing, when its own code did not decide the outcome.
//
// Spec       Protocol/SPEC.md, section 10 (Errors)

/// The error that a crossing's caller sees. Its code names the reaction, its message the cause.
public struct RemoteFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Tells the caller how to react.
    public enum Code: String, Sendable, CaseIterable {
        /// The handler ran and threw; the message describes its error.
        case failed
        /// The node no longer exists. Nothing ran; forget the node.
        case gone
        /// A limit was reached. Nothing ran; try again later.
        case overloaded
        /// The connection was lost before the message was sent. Nothing ran.
        case notExecuted
        /// The connection was lost after the message was sent: it may have run.
        case unknown
        /// The worker ended while the handler waited after a durable change, or the process of a
        /// child ended while its handler ran: recorded changes are kept, and the handler does not
        /// continue.
        case interrupted
        /// The handler has ended its worker twice, and does not run again. See `receipt`.
        case quarantined
        /// The other side has no such method or cannot read the arguments: versions differ.
        case unimplemented
        /// The caller may not do this (a read-only front).
        case refused
        /// No attached front could answer the ask.
        case noFront
        /// The handler was cancelled, because its node was detached or the calling task was
        /// cancelled; or the call ended with its task's cancellation, and the handler may have run.
        case cancelled
        /// The call's deadline passed: the handler is being cancelled, and may have run.
        case deadlineExceeded
    }

    public var code: Code
    /// A sentence that says what happened, and to what. Shortened to 4,096 bytes.
    public let message: String
    /// The error thrown by the handler, encoded, if its method names the error's type.
    public let error: Payload?
    /// The number of the receipt of the worker's death, for `quarantined`.
    public let receipt: UInt64?

    public init(_ code: Code, _ message: String, error: Payload? = nil, receipt: UInt64? = nil) {
        self.receipt = receipt
        self.code = code
        self.message = message.shortened(to: Limits.textBytesMax)
        self.error = error
    }

    public var description: String { "\(code.rawValue): \(message)" }

    /// Creates the fault that reports a handler's error to the caller on the other side.
    public init(reporting error: any Error) {
        switch error {
        case let fault as RemoteFault: self = fault
        case is CancellationError: self.init(.cancelled, "the handler was cancelled")
        case let error as CBORError: self.init(.unimplemented, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }
}
