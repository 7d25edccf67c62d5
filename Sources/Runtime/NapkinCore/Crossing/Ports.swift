// Ports: the destinations of generated senders' messages.
//
// Layer      core vocabulary; the runtime implements both.

/// The port through which an interactor presents. One for each node, in the worker.
@MainActor
public protocol PresentPort: AnyObject, Sendable {
    /// Replaces the newest value of the message's method. Never waits. The message is dropped once
    /// the node has been unmounted.
    func state(_ message: some CrossingMessage)

    /// Like `state`, for a value that may be shown before it is durable: it waits for nothing that
    /// is being recorded.
    func provisional(_ message: some CrossingMessage)

    /// Appends to the ordered effects. Never waits. Dropped and counted when no front is attached.
    func effect(_ message: some CrossingMessage)

    /// Appends an item to the log of the message's method. Never waits: beyond the limits, the
    /// oldest items are forgotten. The item is dropped once the node has been unmounted.
    func append(_ message: some CrossingMessage, keeping limits: LogLimits)

    /// Reports skipped items to a presenter that is a sender, such as a recording's.
    func skipped(_ gap: LogGap)

    /// Tells a presenter that is a sender that a log begins anew.
    func beginsAnew(_ log: MethodID)

    /// Asks the attached fronts; the first answer wins.
    ///
    /// Throws `.noFront` when none is attached, or when the last one leaves or stays away; `.gone`
    /// when the node is unmounted while it waits, `.cancelled` and `.deadlineExceeded` when the
    /// calling task's cancellation or deadline ends the question.
    func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer
}

extension PresentPort {
    /// Without a recorder, a provisional state is an ordinary state.
    public func provisional(_ message: some CrossingMessage) { state(message) }

    public func skipped(_ gap: LogGap) {}

    public func beginsAnew(_ log: MethodID) {}
}

/// The port through which a view sends its events. One for each node, in the front.
@MainActor
public protocol EventPort: AnyObject, Sendable {
    /// Sends an event, or lets it wait for credit; its sender then waits in `PendingEvent.gate`
    /// until the handler has returned.
    ///
    /// Throws if nothing was sent: `.notExecuted` without a connection, `.gone` if the node is
    /// unmounted, `.unimplemented` if the arguments cannot be encoded. Later the event may fail:
    /// with `.failed` if the handler threw, with `.gone` if the node is unmounted, with
    /// `.notExecuted` or `.unknown` if the connection is lost, and with `.cancelled` or
    /// `.deadlineExceeded` if its sender has not waited for the answer.
    func begin(_ method: MethodID, _ encode: PayloadEncoder) throws(RemoteFault) -> PendingEvent

    /// Receives the fault of an event whose method cannot report one: the front counts and logs it.
    func failed(_ method: MethodID, _ fault: RemoteFault)
}

extension EventPort {
    /// Sends an event and waits until its handler has returned, for callers that are not generated.
    /// Throws the errors of `begin` and of the event.
    public func call(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        let event = try begin(method, encode)
        if event.isPending {
            await event.gate.pass()
            if event.isPending { await event.keepWaiting() }
        }
        return try event.payload()
    }
}

/// An answer as it arrived: encoded from another process, a value from this one.
public enum Answer: Sendable {
    case payload(Payload)
    case value(any Sendable)

    /// Returns the answer as a `T`; throws `CBORError` if it is not one.
    public func decode<T: DirectlyCodable & Sendable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        switch self {
        case .payload(let payload): try payload.decode(type)
        case .value(let value): try Self.cast(value)
        }
    }

    /// Returns the answer as a type that is only `Codable`.
    @_disfavoredOverload
    public func decode<T: Decodable & Sendable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        switch self {
        case .payload(let payload): try payload.decode(type)
        case .value(let value): try Self.cast(value)
        }
    }

    private static func cast<T>(_ value: any Sendable) throws(CBORError) -> T {
        guard let result = value as? T else {
            throw CBORError(.typeMismatch, at: 0, "the answer is not of type \(T.self)")
        }
        return result
    }
}
