// WorkflowFrontStateMachine: the URLs that a front has had opened on one connection.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  value; owned by one connection.
// Invariant  every URL ends once: as the worker says, or with the connection. None is sent twice.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Numbers workflows, and decides what is still to be heard of them.
public struct WorkflowFrontStateMachine: Sendable {
    private var newest: UInt64 = 0
    private var running: [UInt64] = []

    public init() {}

    /// A URL is to be opened. Returns its number, to be sent.
    public mutating func openRequested() -> UInt64 {
        newest += 1
        running.append(newest)
        return newest
    }

    /// The workflow is to be cancelled; whether to send that.
    public func cancelRequested(_ number: UInt64) -> Bool { running.contains(number) }

    /// A step has got somewhere; whether anybody still wants to know.
    public func stepReceived(_ number: UInt64) -> Bool { running.contains(number) }

    /// A workflow has ended; whether that is news.
    public mutating func endReceived(_ number: UInt64) -> Bool {
        guard let index = running.firstIndex(of: number) else { return false }
        running.remove(at: index)
        return true
    }

    /// The connection is over, and so are these.
    public mutating func connectionEnded() -> [UInt64] {
        defer { running = [] }
        return running
    }
}
