// Ports: where generated senders put their messages.
//
// Layer      core vocabulary; the runtime implements both.
// Isolation  @MainActor: the loop thread of the process.

/// Where a presentable's sender puts what an interactor presents. One per node, in the worker.
@MainActor
public protocol PresentPort: AnyObject, Sendable {
    /// Replaces the newest value of the message's method. Never waits; dropped when the node is
    /// unmounted.
    func state(_ message: some CrossingMessage)

    /// Appends to the ordered effects. Never waits; dropped and counted when no front is there.
    func effect(_ message: some CrossingMessage)

    /// Asks the attached fronts; the first answer wins.
    ///
    /// Throws `.noFront` when none is attached or the last one leaves, `.gone` when the node is
    /// unmounted while it waits.
    func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer
}

/// Where a listener's sender puts what a view tells its interactor. One per node, in the front.
@MainActor
public protocol EventPort: AnyObject, Sendable {
    /// Sends an event, or has it wait for credit; its sender then waits in `PendingEvent.gate`
    /// until the handler has returned.
    ///
    /// Throws, when nothing was sent, `.notExecuted` without a connection, `.gone` when the node
    /// is unmounted, `.unimplemented` for arguments that cannot be encoded. The event fails with
    /// what the handler threw as `.failed`; with `.gone` when the node is unmounted, and with
    /// `.notExecuted` or `.unknown` when the connection is lost.
    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent

    /// Where events go as values, because the interactor is in this process; asked for once.
    var values: (any ValuePort)? { get }

    /// Hears of the fault of an event whose method cannot report one: the front counts and logs.
    func failed(_ method: MethodID, _ fault: RemoteFault)
}

extension EventPort {
    public var values: (any ValuePort)? { nil }

    /// Sends an event and waits until its handler has returned, for callers that are not
    /// generated. Throws what `begin` and the event do.
    public func call(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        let event = try begin(method, encode)
        if event.isPending { await event.gate.pass() }
        return try event.payload()
    }
}

/// Where a listener's sender puts its events when view and interactor share a process.
@MainActor
public protocol ValuePort: AnyObject, Sendable {
    /// Runs the handler and returns its result, `()` for none. Throws as an event over a
    /// connection does, with the same codes.
    func send(_ message: any CrossingMessage) async throws(RemoteFault) -> any Sendable
}

extension ValuePort {
    /// For generated code: an event without a result.
    public func call(_ message: some CrossingMessage) async throws(RemoteFault) {
        _ = try await send(message)
    }

    /// For generated code: an event whose handler returns a `T`.
    public func call<T: Sendable>(
        _ message: some CrossingMessage, returning type: T.Type
    ) async throws(RemoteFault) -> T {
        let value = try await send(message)
        guard let result = value as? T else {
            throw RemoteFault(.unimplemented, "the handler returned no \(T.self)")
        }
        return result
    }
}
