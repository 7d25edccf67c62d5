// Surface: what draws a front: a terminal, a line of JSON, a window.
//
// Layer      front.
// Isolation  @MainActor.

public import NapkinCore
public import NapkinProtocol

/// Told what a front shows. The tree and the views have changed already when it is told.
@MainActor
public protocol Surface: AnyObject {
    /// A connection to the session stands; the tree follows.
    func front(_ front: Front, attached: Attached)
    /// A batch has been applied as a whole.
    func front(_ front: Front, applied changes: [FrontChange])
    /// A node has a new state.
    func front(_ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload)
    func front(_ front: Front, effect method: MethodID, of node: FrontNode, _ payload: Payload)
    /// The front has not read for a while, and missed so much; the newest states follow.
    func front(_ front: Front, skippedStates states: Int, effects: Int)
    /// A question is open; the node's view, where it has one, is asked next.
    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload)
    /// The node's view has been asked, and has no answer; see `LeftToSurface`.
    func front(_ front: Front, viewLeavesAsk id: UInt64)
    func front(_ front: Front, askEnded id: UInt64)
    /// A view's event failed, and its method cannot throw.
    func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault)
    /// An event has been answered so long after it was sent, where `Front.timesEvents`.
    func front(_ front: Front, eventTook duration: Duration)
    /// So many fronts are attached, this one among them, where `Front.countsFronts`.
    func front(_ front: Front, counts fronts: Int)
    /// The connection is lost; the front tries to come back.
    func front(_ front: Front, disconnected reason: String)
    /// The front is back; `lost` events had been sent and are in doubt.
    func front(_ front: Front, resumedLosing lost: Int)
    /// The session has another name.
    func front(_ front: Front, renamed session: String)
    /// A try to come back failed; the next one is after `delay`.
    func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError)
}

extension Surface {
    public func front(_ front: Front, attached: Attached) {}
    public func front(_ front: Front, skippedStates states: Int, effects: Int) {}
    public func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {}
    public func front(_ front: Front, viewLeavesAsk id: UInt64) {}
    public func front(_ front: Front, askEnded id: UInt64) {}
    public func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault
    ) {}
    public func front(_ front: Front, counts fronts: Int) {}
    public func front(_ front: Front, eventTook duration: Duration) {}
    public func front(_ front: Front, renamed session: String) {}
    public func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError) {}
}
