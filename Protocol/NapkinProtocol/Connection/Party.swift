// Party: the program at one end of a connection.
//
// Spec       Protocol/SPEC.md, section 1 (Roles and processes)

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
