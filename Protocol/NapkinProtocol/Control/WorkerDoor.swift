// WorkerDoor: the payloads between a worker and napkind.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// A worker says who it is, at start and after napkind has been started again; later, which
/// sessions it holds that it did not hold before.
public struct Register: Codable, Equatable, Sendable {
    public var app: String
    public var pid: Int32
    /// The path of the worker's socket.
    public var socket: String
    /// The sessions that it holds.
    public var sessions: [String]
    /// The sessions among them that have had another name, with the epochs of their trees.
    public var renamed: [Renaming]
    /// Whether another such frame follows at once, since not all sessions fit into this one.
    public var continues: Bool

    public init(
        app: String, pid: Int32, socket: String, sessions: [String], renamed: [Renaming] = [],
        continues: Bool = false
    ) {
        self.continues = continues
        self.renamed = renamed
        self.app = app
        self.pid = pid
        self.socket = socket
        self.sessions = sessions
    }
}

extension Register {
    /// Sessions of one frame, with their names and epochs. Fits: each takes 300 bytes at most.
    static let sessionsMax = 128

    /// The frames that say it all; the last one does not go on.
    public var parts: [Register] {
        let epochs = Dictionary(renamed.map { ($0.session, $0) }) { $1 }
        var parts = stride(from: 0, to: max(1, sessions.count), by: Self.sessionsMax).map { start in
            let names = Array(sessions.dropFirst(start).prefix(Self.sessionsMax))
            let renamed = names.compactMap { epochs[$0] }
            return Register(
                app: app, pid: pid, socket: socket, sessions: names,
                renamed: renamed, continues: true)
        }
        parts[parts.count - 1].continues = continues
        return parts
    }
}

/// napkind announces a front: its ticket and the session that it may attach to.
public struct Admit: Codable, Equatable, Sendable {
    public var ticket: String
    public var session: String
    /// The process that has asked for the ticket, from the kernel.
    public var pid: Int32

    public init(ticket: String, session: String, pid: Int32) {
        self.pid = pid
        self.ticket = ticket
        self.session = session
    }
}
