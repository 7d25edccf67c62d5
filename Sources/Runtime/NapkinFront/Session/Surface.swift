// Surface: draws a front: on a terminal, as lines of JSON, in a window.

package import NapkinCore
package import NapkinProtocol

/// Receives a front's changes, after the tree and the views have changed.
@MainActor
package protocol Surface: AnyObject {
    /// A connection to the session is established; the tree follows.
    func front(_ front: Front, attached: Attached)
    /// A batch has been applied as a whole.
    func front(_ front: Front, applied changes: [TreeChange])
    /// A node has a new state.
    func front(_ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload)
    /// A node without a view received an effect; `payload` is borrowed for the call.
    func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    )
    /// Items were appended to a log of a node; `gap` is the range missing before them.
    func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?)
    /// The front was slow and missed this many messages; the newest states follow.
    func front(_ front: Front, skippedStates states: Int, effects: Int)
    /// A question is open; the node's view, if it has one, is asked next.
    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload)
    /// The node's view was asked and left the question open; see `LeftToSurface`.
    func front(_ front: Front, viewLeavesAsk id: UInt64)
    /// A question is over; `answeredBy` names the other front that has answered it.
    func front(_ front: Front, askEnded id: UInt64, answeredBy: String?)
    /// A view's event failed, and its method cannot throw.
    func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault)
    /// An event, from a view or not, was set aside; its sender also learns of it.
    func front(_ front: Front, setAside fault: RemoteFault)
    /// An event was answered this long after it was sent; only if `Front.timesEvents` is set.
    func front(_ front: Front, eventTook duration: Duration)
    /// A wait has become noticeable; `nil` when it is over. Called only if `Front.watchesWorker` is
    /// set.
    func front(_ front: Front, waits wait: FrontWait?)
    /// This many fronts are attached, this one included; only if `Front.countsFronts` is set.
    func front(_ front: Front, counts fronts: Int)
    /// The connection is lost; the front tries to reconnect.
    func front(_ front: Front, disconnected reason: String)
    /// The front is back; `lost` events had been sent, and their outcome is unknown.
    func front(_ front: Front, resumedLosing lost: Int)
    func front(_ front: Front, renamed session: String)
    /// An attempt to reconnect failed; the next one follows after `delay`.
    func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError)
}

extension Surface {
    package func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) {}
    package func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {}
    package func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {}
    package func front(_ front: Front, disconnected reason: String) {}
    package func front(_ front: Front, resumedLosing lost: Int) {}
    package func front(_ front: Front, attached: Attached) {}
    package func front(_ front: Front, skippedStates states: Int, effects: Int) {}
    package func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {}
    package func front(_ front: Front, viewLeavesAsk id: UInt64) {}
    package func front(_ front: Front, askEnded id: UInt64, answeredBy: String?) {}
    package func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault
    ) {}
    package func front(_ front: Front, setAside fault: RemoteFault) {}
    package func front(_ front: Front, counts fronts: Int) {}
    package func front(_ front: Front, eventTook duration: Duration) {}
    package func front(_ front: Front, waits wait: FrontWait?) {}
    package func front(_ front: Front, renamed session: String) {}
    package func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError) {}
}
