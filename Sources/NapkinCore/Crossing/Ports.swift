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
    /// Sends an event and waits until its handler has returned.
    ///
    /// Waits for credit when the window is used up. Throws what the handler threw as `.failed`;
    /// `.gone` when the node is unmounted; `.notExecuted` or `.unknown` when the connection is
    /// lost.
    func call(_ method: MethodID, _ encode: PayloadEncoder) async throws(RemoteFault) -> Payload

    /// As `call`, for a method that can report nothing: a fault is counted and logged by the front.
    func post(_ method: MethodID, _ encode: PayloadEncoder) async
}
