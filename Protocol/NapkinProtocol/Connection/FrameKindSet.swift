// FrameKindSet: which frames may pass from whom to whom.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, sections 4 (Connection set-up) and 6 (Messages)

/// What stands at one end of a connection.
public enum Party: String, Sendable, Hashable, CaseIterable {
    case front
    case tool
    case worker
    case napkind

    public init(_ role: PeerRole) {
        switch role {
        case .front: self = .front
        case .tool: self = .tool
        case .worker: self = .worker
        }
    }
}

/// A set of kinds, one bit each.
public struct FrameKindSet: Hashable, Sendable {
    @usableFromInline var bits: UInt64

    @inlinable
    init(bits: UInt64) { self.bits = bits }

    public init(_ kinds: [FrameKind] = []) {
        bits = kinds.reduce(0) { $0 | Self.bit($1) }
    }

    /// Kinds go up to 66; those from 64 on take the place of the gap that begins with 9.
    @inlinable @inline(__always)
    static func bit(_ kind: FrameKind) -> UInt64 {
        let number = kind.rawValue
        return 1 &<< UInt64(number < 64 ? number : number &- 55)
    }

    @inlinable @inline(__always)
    public func contains(_ kind: FrameKind) -> Bool { bits & Self.bit(kind) != 0 }

    public static func + (left: Self, right: Self) -> Self { Self(bits: left.bits | right.bits) }

    // MARK: - After the handshake

    /// What any two parties may say to each other.
    public static let common = Self([.ping, .pong, .goodbye])

    /// What only opens the talk between a front and a worker; `nil` for other parties.
    public static func opening(from sender: Party, to receiver: Party) -> FrameKind? {
        switch (sender, receiver) {
        case (.front, .worker): .attach
        case (.worker, .front): .attached
        default: nil
        }
    }

    /// What may pass before the front is attached, besides the opening.
    public static func preparation(from sender: Party, to receiver: Party) -> Self {
        switch (sender, receiver) {
        case (.front, .worker): Self([.contract])
        case (.worker, .front): Self([.contractWanted])
        default: Self()
        }
    }

    /// What may pass from one party to another, beyond what is common; between a front and a worker
    /// only once the front is attached.
    public static func talk(from sender: Party, to receiver: Party) -> Self {
        switch (sender, receiver) {
        case (.front, .napkind): Self([.open, .query])
        case (.tool, .napkind): Self([.query])
        case (.napkind, .front): Self([.redirect, .answer, .refused])
        case (.napkind, .tool): Self([.answer, .refused])
        case (.worker, .napkind): Self([.register, .answer, .refused])
        case (.napkind, .worker): Self([.admit, .query, .drain])
        case (.front, .worker):
            Self([.event, .askReply, .received, .openURL, .cancelWorkflow, .measured, .detach])
        case (.worker, .front):
            Self([
                .schema, .transition, .state, .stateDelta, .effect, .skipped, .reply, .fault,
                .ask, .askEnded, .workflowStep, .workflowEnded, .renamed, .measure,
            ])
        default: Self()
        }
    }
}
