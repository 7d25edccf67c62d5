// WorkerDoor: the payloads between a worker and napkind.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// A worker says who it is, at start and after napkind has been started again.
public struct Register: Codable, Equatable, Sendable {
    public var app: String
    public var pid: Int32
    /// The path of the worker's socket.
    public var socket: String
    /// The sessions that it holds.
    public var sessions: [String]
    /// Those of them that have had another name, with the epochs of their trees.
    public var renamed: [Renaming]?

    public init(
        app: String, pid: Int32, socket: String, sessions: [String], renamed: [Renaming]? = nil
    ) {
        self.renamed = renamed
        self.app = app
        self.pid = pid
        self.socket = socket
        self.sessions = sessions
    }
}

/// napkind announces a front: its ticket and the session that it may attach to.
public struct Admit: Codable, Equatable, Sendable {
    public var ticket: String
    public var session: String

    public init(ticket: String, session: String) {
        self.ticket = ticket
        self.session = session
    }
}
