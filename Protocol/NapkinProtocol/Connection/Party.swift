// Party: the program at one end of a connection, and the frames that two may send each other.
//
// Spec       Protocol/SPEC.md, sections 1 (Roles and processes) and 6 (Messages)

/// The program at one end of a connection.
public enum Party: String, Sendable, Hashable, CaseIterable {
    case front
    case tool
    case worker
    case napkind
    /// The process of one child: Protocol/CHILD.md.
    case child

    public init(_ role: PeerRole) {
        switch role {
        case .front: self = .front
        case .tool: self = .tool
        case .worker: self = .worker
        case .child: self = .child
        }
    }
}

extension FrameKindSet {
    /// The kinds that any party may send to any other.
    public static let common = Self([.ping, .pong, .goodbye])

    /// Returns the kind that must come first between a front and a worker; `nil` for other parties.
    public static func opening(from sender: Party, to receiver: Party) -> FrameKind? {
        switch (sender, receiver) {
        case (.front, .worker): .attach
        case (.worker, .front): .attached
        default: nil
        }
    }

    /// Returns the kinds that may pass before the front is attached, besides the opening.
    public static func preparation(from sender: Party, to receiver: Party) -> Self {
        switch (sender, receiver) {
        case (.front, .worker): Self([.contract])
        case (.worker, .front): Self([.contractWanted])
        default: Self()
        }
    }

    /// Returns the kinds that may pass besides the common ones. Between a front and a worker, they
    /// may pass only once the front is attached.
    public static func talk(from sender: Party, to receiver: Party) -> Self {
        switch (sender, receiver) {
        case (.front, .napkind): Self([.open, .query])
        case (.tool, .napkind): Self([.query])
        case (.napkind, .front): Self([.redirect, .answer, .refused])
        case (.napkind, .tool): Self([.answer, .refused])
        case (.worker, .napkind): Self([.register, .answer, .refused])
        case (.napkind, .worker): Self([.admit, .query, .drain])
        case (.front, .worker):
            Self([
                .event, .cancelEvent, .askReply, .received, .openURL, .cancelWorkflow, .measured,
                .detach,
            ])
        case (.worker, .front):
            Self([
                .schema, .transition, .state, .stateDelta, .effect, .log, .skipped, .reply, .fault,
                .ask, .askEnded, .workflowStep, .workflowEnded, .renamed, .measure,
            ])
        case (.worker, .child):
            Self([.attach, .state, .event, .reply, .fault, .cancelEvent, .detach])
        case (.child, .worker):
            Self([
                .attached, .state, .effect, .log, .ask, .event, .reply, .fault, .cancelEvent,
                .detach,
            ])
        default: Self()
        }
    }
}
