// ControlLineStateMachine: tracks napkind's requests to a worker, and their pending answers.
//
// Isolation  value; owned by one end of one control connection.
// Invariant  each request is answered at most once, and ends once on napkind's side.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// One end of the connection between napkind and a worker.
public struct ControlLineStateMachine: Hashable, Sendable {
    /// The role of this end.
    public enum Role: Hashable, Sendable {
        case napkind
        case worker
    }

    /// The action to take for a request that napkind wants to send.
    public enum AskAction: Equatable, Sendable {
        /// Send it under this number.
        case send(UInt64)
        /// There is no registered worker on this connection.
        case refuseLost
        /// Too many requests are waiting: answer `overloaded`.
        case refuseExcess
    }

    /// The action to take for a frame.
    public enum FrameAction: Equatable, Sendable {
        /// The worker registers, or later announces that it holds more sessions.
        case takeRegistration
        /// Hand the frame to the caller who asked under this number.
        case endRequest(UInt64)
        /// Answer napkind's request with this number, and report `answered`.
        case takeRequest(UInt64)
        /// End the worker in good order.
        case drain
        case ignore
        case violation(String)
    }

    private enum State: Hashable, Sendable {
        case connected
        /// The worker has registered.
        case registered
        case draining
        case ended
    }

    private let role: Role
    private var state = State.connected
    private var newest: UInt64 = 0
    /// Requests that wait for their answers.
    private var open = SequenceTable<Bool>()
    /// Requests with answers that nobody awaits any longer.
    private var overdue: Set<UInt64> = []

    public init(role: Role) { self.role = role }

    /// Whether the worker has registered and its connection has not ended.
    public var isRegistered: Bool { state == .registered || state == .draining }

    /// Requests without an answer.
    public var openRequests: Int { open.count }

    // MARK: - napkind's side

    /// A request is to be sent.
    public mutating func requested() -> AskAction {
        guard role == .napkind, state == .registered else { return .refuseLost }
        guard open.count < Limits.controlRequestsMax else { return .refuseExcess }
        newest += 1
        open.append(true, at: newest)
        return .send(newest)
    }

    /// The caller who asked under this number stops waiting; returns false if nobody was waiting.
    /// The worker still owes the answer, which counts towards the limit: a hanging worker is not
    /// sent requests forever.
    public mutating func requestOverdue(_ sequence: UInt64) -> Bool {
        role == .napkind && open.contains(sequence) && overdue.insert(sequence).inserted
    }

    /// The worker has been sent `drain`; it still answers earlier requests.
    public mutating func drainSent() {
        if state == .registered { state = .draining }
    }

    /// The connection has ended. Returns the requests that will get no answer.
    public mutating func connectionEnded() -> [UInt64] {
        let lost = open.elements.map(\.sequence).filter { !overdue.contains($0) }
        open = SequenceTable()
        state = .ended
        return lost
    }

    // MARK: - The worker's side

    /// The worker has registered.
    public mutating func registerSent() {
        if state == .connected { state = .registered }
    }

    /// The worker has an answer. Returns whether to send it: false if the connection on which
    /// napkind asked has ended.
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
            // The request crossed the drain frame. napkind is shutting down and tells the front
            // itself.
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
