// NodePort: the way from one view to its interactor.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  held by the view's sender and by the node; holds the front's session.

public import NapkinCore

/// Sends a view's events, until its node has left the tree.
@MainActor
public final class NodePort: EventPort {
    private let session: FrontSession
    private let node: UInt32
    @exclusivity(unchecked) private var isClosed = false
    private let account = LedgerAccount()
    private let ledgerEntry: LedgerEntry

    /// - Parameter name: how the front's ledger calls the view.
    public init(session: FrontSession, node: UInt32, name: String = "node") {
        self.session = session
        self.node = node
        account.attach(as: "\(name) #\(node)", to: session.senderLedger)
        ledgerEntry = account.open(.sender, LedgerLabel("the sender of its view's events"))
    }

    /// The node has left the tree: what is sent from now on is refused as `.gone`.
    public func close() {
        isClosed = true
        account.detach()
    }

    public func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        if isClosed { throw RemoteFault(.gone, "node \(node) is not shown any more") }
        return try session.begin(node, method, encode)
    }

    public func failed(_ method: MethodID, _ fault: RemoteFault) {
        session.eventFailed(node, method, fault)
    }
}
