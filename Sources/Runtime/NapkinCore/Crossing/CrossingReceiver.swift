// CrossingReceiver: decodes the messages of one crossing and calls its target.
//
// Layer      core vocabulary; `@Crossing` generates the subclasses.
// Spec       Protocol/SPEC.md, section 6 (Messages)

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
