// ControlLineStateMachine: what napkind asks a worker, and what the worker owes it.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one end of one control connection.
// Invariant  each request is answered at most once, and ends once at napkind's end.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// One end of the connection between napkind and a worker. The role says which.
public struct ControlLineStateMachine: Hashable, Sendable {
    /// Which end this is.
    public enum Role: Hashable, Sendable {
        case napkind
        case worker
    }

    /// What to do with a request that napkind wants to send.
    public enum AskAction: Equatable, Sendable {
        /// Send it under this number.
        case send(UInt64)
        /// There is no worker on the line.
        case refuseLost
        /// Too many wait already: `overloaded`.
        case refuseExcess
    }

    /// What to do with a frame.
    public enum FrameAction: Equatable, Sendable {
        /// The worker says who it is, or later, which further sessions it holds.
        case takeRegistration
        /// Hand it to whoever asked under this number.
        case endRequest(UInt64)
        /// The worker is asked under this number: report `answered`.
        case takeRequest(UInt64)
        /// The worker is to end in good order.
        case drain
        case ignore
        case violation(String)
    }

    private enum State: Hashable, Sendable {
        case connected
        /// The worker has said who it is.
        case registered
        case draining
        case ended
    }

    private let role: Role
    private var state = State.connected
    private var newest: UInt64 = 0
    /// Requests that wait for their answers.
    private var open = SequenceTable<Bool>()
    /// The requests whose answers nobody waits for any longer.
    private var overdue: Set<UInt64> = []

    public init(role: Role) {
        self.role = role
    }

    /// Whether the worker has said who it is, on a line that still stands.
    public var isRegistered: Bool { state == .registered || state == .draining }

    /// Requests without an answer.
    public var openRequests: Int { open.count }

    // MARK: - napkind's end

    /// Something is to be asked.
    public mutating func requested() -> AskAction {
        guard role == .napkind, state == .registered else { return .refuseLost }
        guard open.count < Limits.controlRequestsMax else { return .refuseExcess }
        newest += 1
        open.append(true, at: newest)
        return .send(newest)
    }

    /// Whoever has asked under this number waits no longer; whether they did. The worker still owes
    /// the answer, so that one which stands still is not asked without end.
    public mutating func requestOverdue(_ sequence: UInt64) -> Bool {
        role == .napkind && open.contains(sequence) && overdue.insert(sequence).inserted
    }

    /// The worker is told to end; it still answers what it was asked.
    public mutating func drainSent() {
        if state == .registered { state = .draining }
    }

    /// The connection has ended: what these asked has no answer.
    public mutating func connectionEnded() -> [UInt64] {
        let lost = open.elements.map(\.sequence).filter { !overdue.contains($0) }
        open = SequenceTable()
        overdue = []
        state = .ended
        return lost
    }

    // MARK: - The worker's end

    /// The worker has said who it is.
    public mutating func registerSent() {
        if state == .connected { state = .registered }
    }

    /// The worker has an answer; whether it is to be sent: the line that asked still stands.
    public mutating func answered(_ sequence: UInt64) -> Bool { open.remove(sequence) != nil }

    // MARK: - Frames

    public mutating func frameReceived(_ header: FrameHeader) -> FrameAction {
        guard state != .ended else { return .ignore }
        return role == .napkind ? receivedByNapkind(header) : receivedByWorker(header)
    }

    private mutating func receivedByNapkind(_ header: FrameHeader) -> FrameAction {
        switch (header.kind, state) {
        case (.register, .connected):
            state = .registered
            return .takeRegistration
        case (.register, .registered), (.register, .draining): return .takeRegistration
        case (.answer, .registered), (.answer, .draining), (.refused, .registered),
            (.refused, .draining):
            guard open.remove(header.sequence) != nil else {
                return .violation("an answer to \(header.sequence), which was not asked")
            }
            return overdue.remove(header.sequence) == nil ? .endRequest(header.sequence) : .ignore
        default:
            return .violation("a frame of the kind \(header.kind) from a worker, where none is due")
        }
    }

    private mutating func receivedByWorker(_ header: FrameHeader) -> FrameAction {
        switch (header.kind, state) {
        case (.admit, .registered), (.query, .registered), (.query, .draining):
            guard header.sequence > newest else {
                return .violation("request \(header.sequence) after request \(newest)")
            }
            newest = header.sequence
            open.append(true, at: newest)
            return .takeRequest(newest)
        case (.admit, .draining):
            // It crossed the drain; the front hears of it from napkind, which is ending.
            return .ignore
        case (.drain, .registered):
            state = .draining
            return .drain
        case (.drain, .draining): return .ignore
        default:
            return .violation("a frame of the kind \(header.kind) from napkind, where none is due")
        }
    }
}
