// Ports: where generated senders put their messages.
//
// Layer      core vocabulary; the runtime implements both.
// Isolation  @MainActor: the loop thread of the process.

/// Where a presentable's sender puts what an interactor presents. One per node, in the worker.
@MainActor
public protocol PresentPort: AnyObject, Sendable {
    /// Replaces the newest value of `method`. Never waits; dropped when the node is unmounted.
    func state(_ method: MethodID, _ encode: PayloadEncoder)

    /// Appends to the ordered effects. Never waits; dropped and counted when no front is there.
    func effect(_ method: MethodID, _ encode: PayloadEncoder)

    /// Asks the attached fronts; the first answer wins.
    ///
    /// Throws `.noFront` when none is attached or the last one leaves, `.gone` when the node is
    /// unmounted while it waits.
    func ask(_ method: MethodID, _ encode: PayloadEncoder) async throws(RemoteFault) -> Payload
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

    /// Hears of the fault of an event whose method cannot report one: the front counts and logs.
    func failed(_ method: MethodID, _ fault: RemoteFault)
}

extension EventPort {
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
