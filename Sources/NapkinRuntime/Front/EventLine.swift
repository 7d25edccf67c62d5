// EventLine: where a front's events go, whichever connection stands, and the port of each node.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  holds the client of the current connection, and what hears of failures until it is
//            closed. A port is held by the view's sender and by the node.
// Invariant  an event is sent to the connection that stands when it is sent, or not at all.
//
// An `await` that returns costs the runtime a look at where to go on, 30 ns for each function that
// it passes (Swift 6.3.1, measured). So there is one function between a view's sender and the
// gate where the event waits for its answer.

public import NapkinCore

/// The way of a front's events to the session.
@MainActor
public final class EventLine {
    /// The connection that stands; `nil` while there is none.
    @exclusivity(unchecked) public var client: SessionClient?
    /// Events that had been sent when their connection was lost.
    public private(set) var inDoubt = 0

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

    /// How many events are in doubt since the last call.
    public func takeInDoubt() -> Int {
        defer { inDoubt = 0 }
        return inDoubt
    }

    /// Sends an event to a node and waits for its handler; see `EventPort.call`.
    @inline(__always)
    public func call(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard let client else {
            throw RemoteFault(.notExecuted, "not connected to the session")
        }
        do throws(RemoteFault) {
            return try await client.call(node, method, encode)
        } catch {
            if error.code == .unknown { inDoubt += 1 }
            throw error
        }
    }
}

/// The way from one view to its interactor.
@MainActor
public final class NodePort: EventPort {
    @exclusivity(unchecked) private var line: EventLine?
    private let node: UInt32

    public init(line: EventLine, node: UInt32) {
        self.line = line
        self.node = node
    }

    /// The node has left the tree: what is sent from now on is refused as `.gone`.
    public func close() { line = nil }

    public func call(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard let line else { throw RemoteFault(.gone, "node \(node) is not shown any more") }
        return try await line.call(node, method, encode)
    }

    public func post(_ method: MethodID, _ encode: PayloadEncoder) async {
        let failed = line?.failed
        do {
            _ = try await call(method, encode)
        } catch {
            failed?(node, method, error)
        }
    }
}
