// NodePort: sends a view's events to its interactor; a FrontEvent is such an event while pending.
//
// Ownership  the view's sender and the node hold the port, which holds the front's session; an
//            event retains its front's spare events, and nothing else of the front.

package import NapkinCore

/// Sends a view's events, until its node has left the tree.
@MainActor
package final class NodePort: EventPort {
    private let session: FrontSession
    private let node: UInt32
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of other code.
    @exclusivity(unchecked) private var ending: RemoteFault?
    private let account = InventoryAccount()
    private let inventoryEntry: InventoryEntry

    /// - Parameter name: the view's name in the front's inventory.
    package init(session: FrontSession, node: UInt32, name: String = "node") {
        self.session = session
        self.node = node
        account.attach(as: "\(name) #\(node)", to: session.senderInventory)
        inventoryEntry = account.open(.sender, InventoryLabel("the sender of its view's events"))
    }

    /// Refuses later events as `.gone`.
    ///
    /// - Parameter reason: why the front has ended; `nil` if the node has left the tree.
    package func close(because reason: String? = nil) {
        ending = RemoteFault(.gone, reason ?? "node \(node) is no longer shown")
        account.detach()
    }

    package func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        if let ending { throw ending }
        return try session.begin(node, method, encode)
    }

    package func failed(_ method: MethodID, _ fault: RemoteFault) {
        session.eventFailed(node, method, fault)
    }
}

/// A pending event that may wait for credit.
@MainActor
final class FrontEvent: PendingEvent {
    /// The contents of an event that waits for credit.
    struct Queued {
        var node: UInt32
        /// The epoch at the time of the call: the node's number refers to that tree.
        var epoch: UInt32
        var method: MethodID
        var payload: Payload
    }

    private let spares: EventPool
    @exclusivity(unchecked) var queued: Queued?
    /// Whether a deadline has ended the event.
    var isTooLate = false
    /// When the event was called, if events are being measured.
    @exclusivity(unchecked) var calledAt: ContinuousClock.Instant?
    @exclusivity(unchecked) fileprivate var nextSpare: FrontEvent?

    fileprivate init(_ spares: EventPool) {
        self.spares = spares
        super.init()
    }

    /// Written out: Swift 6.3.1 reports the synthesized one as an infinite recursion.
    override init() { preconditionFailure("an event needs its front's spare events") }

    override func didEnd() {
        if !isAbandoned { spares.keep(self) }
    }
}

/// Ended events in a linked list, for reuse: an event costs no allocation.
@MainActor
final class EventPool {
    /// Chosen: more are rarely outstanding.
    private static let countMax = 64

    @exclusivity(unchecked) private var first: FrontEvent?
    @exclusivity(unchecked) private var count = 0
    private var isClosed = false

    func make() -> FrontEvent {
        guard let event = first else { return FrontEvent(self) }
        first = event.nextSpare.take()
        count -= 1
        return event
    }

    fileprivate func keep(_ event: FrontEvent) {
        guard !isClosed, count < Self.countMax else { return }
        event.nextSpare = first.take()
        first = event
        count += 1
    }

    func close() {
        isClosed = true
        while let event = first { first = event.nextSpare.take() }
    }
}
