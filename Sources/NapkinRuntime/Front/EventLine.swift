// EventLine: where a front's events go, whichever connection stands, and the port of each node.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  holds the client of the current connection, and what hears of failures until it is
//            closed. A port is held by the view's sender and by the node.
// Invariant  an event is sent to the connection that stands when it is sent, or not at all.

public import NapkinCore

/// The way of a front's events to the session.
@MainActor
public final class EventLine {
    /// The connection that stands; `nil` while there is none.
    @exclusivity(unchecked) public var client: SessionClient? {
        didSet { lost += oldValue?.takeInDoubt() ?? 0 }
    }
    /// Events that earlier connections left in doubt.
    private var lost = 0

    /// Of the senders of its views.
    public let ledger = Ledger()
    fileprivate var failed: (@MainActor (UInt32, MethodID, RemoteFault) -> Void)?

    /// - Parameter failed: told of an event that could report its fault to nobody else.
    public init(failed: @escaping @MainActor (UInt32, MethodID, RemoteFault) -> Void) {
        self.failed = failed
    }

    /// The front has ended: nothing is sent any more.
    public func close() {
        client = nil
        failed = nil
    }

    /// How many events are in doubt since the last call: they had been sent, and not answered,
    /// when their connection was lost.
    public func takeInDoubt() -> Int {
        defer { lost = 0 }
        return lost + (client?.takeInDoubt() ?? 0)
    }

    /// Sends an event to a node; see `EventPort.begin`.
    @inline(__always)
    public func begin(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        guard let client else {
            throw RemoteFault(.notExecuted, "not connected to the session")
        }
        return try client.begin(node, method, encode)
    }

    /// Sends an event to a node and waits for its handler; see `EventPort.call`.
    public func call(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        let event = try begin(node, method, encode)
        if event.isPending { await event.gate.pass() }
        return try event.payload()
    }
}

/// The way from one view to its interactor.
@MainActor
public final class NodePort: EventPort {
    private let line: EventLine
    private let node: UInt32
    @exclusivity(unchecked) private var isClosed = false
    private let account = LedgerAccount()
    private let ledgerEntry: LedgerEntry

    /// - Parameter name: how the front's ledger calls the view.
    public init(line: EventLine, node: UInt32, name: String = "node") {
        self.line = line
        self.node = node
        account.attach(as: "\(name) #\(node)", to: line.ledger)
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
        return try line.begin(node, method, encode)
    }

    public func failed(_ method: MethodID, _ fault: RemoteFault) {
        line.failed?(node, method, fault)
    }
}
