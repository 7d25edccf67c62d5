// DaemonMessages: the payloads between napkind and a front, a tool or a worker.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding

/// A front's request for a session's location; napkind starts the worker if necessary.
@Message
public struct Open: Equatable, MandatoryFields {
    public var app: String
    /// The session's name; `nil` means the session with the app's name.
    public var session: String?
    /// False: the front only joins. If the session does not exist, it is refused with
    /// `unknownSession`.
    public var creates: Bool = true
    /// The epoch of the tree that a returning front has seen, which identifies its session even
    /// under a new name.
    public var epoch: UInt32?
}

/// The location of a session, with a ticket to attach to it once.
@Message
public struct Redirect: Equatable {
    /// The path of the worker's socket.
    public var socket: String
    /// 128 random bits in hex.
    public var ticket: String
    public var app: String
    public var session: String
    /// How the session's worker died, for a front that returns; absent if it has not died lately.
    public var death: String?
    /// The number of that death's receipt.
    public var receipt: UInt64?
    /// Other machines of the cluster: if this one is gone, one of them knows where the session is.
    /// Absent without a cluster.
    public var machines: [MachineAddress]?
}

/// A part of an answer, with the cursor of the next part; 0 if nothing follows.
public struct AnswerPiece: Sendable {
    public var bytes: [UInt8]
    public var cursor: UInt32

    public init(bytes: [UInt8], cursor: UInt32 = 0) {
        self.bytes = bytes
        self.cursor = cursor
    }
}

/// A tool's query. It is answered by an `answer` or `refused` frame of the same sequence.
public enum Query: Codable, Equatable, Sendable {
    /// Answered by `[AppInfo]`.
    case apps
    /// Answered by `DaemonStatus`.
    case status
    /// Answered by the former level. Changes the least level that the app's workers log, including
    /// workers started later; without an app, napkind's own level.
    case logLevel(app: String?, level: String)
    /// Answered by `[SessionInfo]` for the app's sessions. napkind refuses a query without an app.
    /// If an app has several workers, this and other queries name a worker in place of the app.
    case sessions(app: String?)
    /// Answered by `[SessionTree]`: the tree of the named session, otherwise all trees of the app.
    case tree(app: String?, session: String?)
    /// Answered by a Boolean: whether the session existed. `force` kills it even if its worker does
    /// not answer.
    case kill(session: String, force: Bool? = nil)
    /// Answered by the app's schema: its features and types.
    case schema(app: String)
    /// Answered by the number of detached fronts. Without `front`, all are detached.
    case detach(session: String, front: UInt64?)
    /// Answered by `Renaming`.
    case rename(session: String, to: String)
    /// Answered by `TreeSample` as soon as the trees differ from those of the digest, or after a
    /// while. Covers the named session, otherwise all sessions of the app.
    case watch(
        app: String?, session: String?, digest: UInt64?, milliseconds: UInt32?, inventory: Bool?)
    /// Answered by `Figures`, and measures the crossings for a while. Covers the same sessions.
    case top(app: String?, session: String?)
    /// Answered by `TraceBatch` as soon as there is a message, or after a while. Without a tracer's
    /// number, a new tracer is created.
    case trace(session: String, tracer: UInt64?, feature: String?, values: Bool?)
    /// Answered by `ControlOutcome`. Without `force`, no session ends. The app may be `napkind`.
    case control(app: String, action: ControlAction, force: Bool?)
    /// Answered as the request says. Covers the journal of the app's worker, or only the named
    /// session.
    case ledger(app: String?, session: String?, request: LedgerRequest)
    /// Answered by `[Receipt]`, oldest first, of one app or of all. With a number and an app,
    /// answered by that receipt and its session's image, or by an empty array.
    case crashes(app: String?, receipt: UInt64? = nil)
    /// Answered by the number of inputs that may run again: the receipt's, or all of the app's.
    case release(app: String, receipt: UInt64?)
    /// Answered by `Cluster`, with its stored sessions if `sessions` is true: all, or one by name.
    case cluster(sessions: Bool, named: String? = nil)
    /// Answered by the next piece of an answer that did not fit into one frame. Repeats the app and
    /// the session of the query, with the cursor from the header of the previous piece.
    case more(app: String?, session: String?, cursor: UInt32)
}

extension Query {
    /// The session that the query names.
    public var session: String? {
        guard case .more(_, let session, _) = continued(from: 0) else { return nil }
        return session
    }

    /// Returns the query for the next piece, under this cursor.
    public func continued(from cursor: UInt32) -> Query {
        switch self {
        case .apps, .status, .logLevel, .crashes, .release:
            .more(app: nil, session: nil, cursor: cursor)
        case .sessions(let app): .more(app: app, session: nil, cursor: cursor)
        case .schema(let app), .control(let app, _, _):
            .more(app: app, session: nil, cursor: cursor)
        case .cluster: .more(app: nil, session: nil, cursor: cursor)
        case .tree(let app, let session), .watch(let app, let session, _, _, _),
            .top(let app, let session), .ledger(let app, let session, _),
            .more(let app, let session, _):
            .more(app: app, session: session, cursor: cursor)
        case .kill(let session, _), .detach(let session, _), .rename(let session, _),
            .trace(let session, _, _, _):
            .more(app: nil, session: session, cursor: cursor)
        }
    }
}

/// The new name of a session.
@Message
public struct Renaming: Equatable {
    public var session: String
    /// The epoch of the session's tree, if it has one.
    public var epoch: UInt32?
}

/// The daemon itself.
@Message
public struct DaemonStatus: Equatable {
    /// Seconds since its process was started; absent if the kernel does not say.
    public var seconds: Int?
    /// Resident memory of its process.
    public var bytes: Int?
    /// The directory with its locks, its logs and the durable sessions.
    public var stateDirectory: String
    /// Where durable sessions are kept, as `--ledger` names it; absent for files in that directory.
    public var ledger: String?
    /// Its machine's name in the cluster of that database; absent for files.
    public var machine: String?
    /// Why the cluster's database could not be queried lately; absent if it could.
    public var clusterError: String?
    /// The least level that it logs.
    public var logLevel: String
    /// Whether it prints into systemd's journal, where workers then print under their apps' ids;
    /// absent if not.
    public var isInJournal: Bool?
    /// The manifest directories that napkind cannot watch, so that it sees changes late; absent if
    /// there are none.
    public var unwatched: [String]?

    /// The remedy for unwatched directories.
    public static let watchRemedy =
        "raise fs.inotify.max_user_watches or fs.inotify.max_user_instances, of which the user's "
        + "programs have taken all"
}

/// One app that the daemon hosts.
@Message
public struct AppInfo: Equatable, MandatoryFields {
    /// How the app's worker is doing.
    public enum State: String, CaseIterable, Codable, Sendable {
        /// No front has asked for the app yet, or its worker was drained.
        case idle
        case starting
        case running
        /// The worker has died and is about to be restarted.
        case restarting
        /// The worker died too often. It is started again when a front asks after a pause.
        case degraded
        /// It was stopped, and starts only when somebody asks for it.
        case stopped
        /// Its manifest is refused, as `error` says; nothing is started.
        case broken
    }

    /// The app's id. If the state is `broken`, the name of a file, or the path of a directory.
    public var app: String
    public var state: State
    /// The worker's process id, while a worker runs; absent if there may be several.
    public var pid: Int32?
    public var sessions: Int = 0
    /// How often the worker died unexpectedly.
    public var crashes: Int = 0
    /// The app's name for people, from its manifest.
    public var title: String?
    /// Its version, from its manifest.
    public var version: String?
    /// The path of the manifest; absent if the app is hosted in its own program.
    public var manifest: String?
    /// The program and arguments of its front for a terminal; absent if the app has none.
    public var front: [String]?
    /// The error in the manifest, and its place.
    public var error: String?
    /// The path of the file with the worker's output; older files end in `.1` and `.2`. Absent if
    /// the worker prints to the same place as the daemon.
    public var log: String?
    /// How the last worker died, or why none starts, with its last words.
    public var death: String?
    /// The present workers; absent if the app has only one, which has the app's name.
    public var workers: [WorkerInfo]?
    /// Seconds since the only worker was started, while it runs.
    public var seconds: Int?
    /// Resident memory of the only worker.
    public var bytes: Int?
    /// Whether a worker runs an older program than the manifest now names.
    public var isOutdated: Bool?
    /// The durability of the app's states, as a worker reported it; absent if nothing is kept.
    public var durability: String?
    /// Where they are kept, as `--ledger` names it; absent for files, or if nothing is kept.
    public var ledger: String?
    /// The version of napkin with which a worker was built, if it differs from the daemon's.
    public var napkin: String?
    /// The first stored sessions that a new worker no longer had, until the app is stopped or
    /// restarted; absent if there are none.
    public var lost: [String]?
    /// The number of the receipt of the death in `death`.
    public var receipt: UInt64?
}

extension AppInfo {
    /// The names under which to query the app's workers: each query is answered by one worker.
    public var workerNames: [String] { workers?.map(\.worker) ?? [app] }

    /// The names under which its sessions are listed: its workers' names, and the app's for all
    /// sessions stored but not in memory. If a session is in both lists, the worker's entry counts.
    public var listingNames: [String] { workers.map { $0.map(\.worker) + [app] } ?? [app] }

    /// Returns the worker names that the app's or a worker's name stands for; `nil` if it is
    /// neither.
    public func workerNames(for name: String) -> [String]? {
        name == app ? workerNames : workerNames.contains(name) ? [name] : nil
    }
}

/// One of several workers of an app.
@Message
public struct WorkerInfo: Equatable, MandatoryFields {
    /// Its name, such as `rib-house~2`.
    public var worker: String
    public var state: AppInfo.State
    /// Its process id, while it runs.
    public var pid: Int32?
    public var sessions: Int = 0
    /// How often it died unexpectedly.
    public var crashes: Int = 0
    /// Seconds since its process was started, while it runs.
    public var seconds: Int?
    /// Resident memory of its process.
    public var bytes: Int?
}

/// A worker's registration, sent at start and after napkind has been restarted. Later ones announce
/// sessions that have changed.
@Message
public struct Register: Equatable, MandatoryFields {
    public var app: String
    public var pid: Int32
    /// The path of the worker's socket.
    public var socket: String
    /// The sessions that the worker holds.
    public var sessions: [String]
    /// The sessions among them that have been renamed, with the epochs of their trees.
    public var renamed: [Renaming] = []
    /// Whether another such frame follows at once, because not all sessions fit into this one.
    public var continues: Bool = false
    /// The number of fronts that are attached or have a ticket; absent if the registration does not
    /// report it.
    public var fronts: UInt32?
    /// The sessions that its journal has, whether it holds them or not; absent if there are none.
    public var stored: [String]?
    /// The durability of the app's states: `machine` or `process`; absent if nothing is kept.
    public var durability: String?
    /// The version of napkin with which the worker was built.
    public var napkin: String?
    /// The death of a child's process that this frame reports; absent otherwise.
    public var died: ChildDeath?
}

/// The death of a child's process, as its worker saw it.
@Message
public struct ChildDeath: Equatable {
    /// The features from the session's root to the child, separated by slashes.
    public var child: String
    public var pid: Int32
    /// How it died, for a person.
    public var cause: String
    /// The page of its memory (FLIGHT.md); empty if there is none.
    public var page: [UInt8]
    /// The front's event that ran in it; absent if none did, or if it is unknown.
    public var input: FlightInput?
}

extension Register {
    /// Sessions in one frame. They fit: each takes at most 450 bytes, with its names and epoch.
    static let sessionsMax = 128

    /// The frames that carry this registration. All but the last have `continues` set; the last has
    /// it if this registration does, and carries the number of fronts.
    public var parts: [Register] {
        let epochs = Dictionary(renamed.map { ($0.session, $0) }) { $1 }
        // A session is held and stored in the same part.
        let held = Set(sessions)
        let isStored = Set(stored ?? [])
        let names = sessions + (stored ?? []).filter { !held.contains($0) }
        var parts = stride(from: 0, to: max(1, names.count), by: Self.sessionsMax).map { start in
            let names = Array(names.dropFirst(start).prefix(Self.sessionsMax))
            let stored = names.filter(isStored.contains)
            return Register(
                app: app, pid: pid, socket: socket, sessions: names.filter(held.contains),
                renamed: names.compactMap { epochs[$0] }, continues: true,
                stored: stored.isEmpty ? nil : stored)
        }
        parts[parts.count - 1].continues = continues
        parts[parts.count - 1].fronts = fronts
        parts[parts.count - 1].durability = durability
        parts[parts.count - 1].napkin = napkin
        return parts
    }
}

/// napkind's announcement of a front: its ticket, and the session to which it may attach.
@Message
public struct Admit: Equatable {
    public var ticket: String
    public var session: String
    /// The process that asked for the ticket, according to the kernel.
    public var pid: Int32
}
