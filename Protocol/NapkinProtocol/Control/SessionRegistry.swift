// SessionRegistry: napkind's view of the sessions: whose each is, and what renamed ones are called.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  none of its own; a value owned by napkind.
// Invariant  a name belongs to one app; an epoch leads to a session that is known.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Knows a session from its first open until it is killed.
public struct SessionRegistry: Hashable, Sendable {
    /// Where a front that opens is to go.
    public enum OpenAction: Equatable, Sendable {
        /// To this session, which may have had another name.
        case admit(session: String)
        /// The name is that of a session of this app.
        case refuseAnotherApp(String)
        case refuseUnknown
    }

    /// What to do about a new name.
    public enum RenameAction: Equatable, Sendable {
        /// Tell the app's worker, then report `renameAnswered` or `renameFailed`. From here on
        /// the new name is the session's: what is opened now comes to the worker after it.
        case tell(app: String)
        case refuseUnknown
        /// The name is that of a session of this app.
        case refuseTaken(app: String)
    }

    private var owners: [String: String] = [:]
    /// Sessions that have had another name, by the epochs of the trees that had it.
    private var renamed: [UInt32: String] = [:]

    public init() {}

    /// All that are known.
    public var names: [String] { owners.keys.sorted() }

    /// Those of one app.
    public func names(of app: String) -> [String] { names.filter { owners[$0] == app } }

    /// The app of a session that is known.
    public func app(of session: String) -> String? { owners[session] }

    /// A front asks where its session lives.
    public mutating func opened(_ open: Open) -> OpenAction {
        if let epoch = open.epoch, let session = renamed[epoch], owners[session] == open.app {
            return .admit(session: session)
        }
        let session = open.session ?? open.app
        if let owner = owners[session], owner != open.app { return .refuseAnotherApp(owner) }
        if owners[session] == nil, !open.creates { return .refuseUnknown }
        owners[session] = open.app
        return .admit(session: session)
    }

    /// A session is killed. Returns its app, `nil` when there is no such session.
    public mutating func killed(_ session: String) -> String? {
        renamed = renamed.filter { $0.value != session }
        return owners.removeValue(forKey: session)
    }

    /// A session is to have another name, which is valid.
    public mutating func renameRequested(_ session: String, to name: String) -> RenameAction {
        guard let app = owners[session] else { return .refuseUnknown }
        if let owner = owners[name] { return .refuseTaken(app: owner) }
        move(session, to: name, of: app)
        return .tell(app: app)
    }

    private mutating func move(_ session: String, to name: String, of app: String) {
        owners[session] = nil
        owners[name] = app
        for (epoch, former) in renamed where former == session { renamed[epoch] = name }
    }

    /// The worker has renamed the session.
    public mutating func renameAnswered(_ renaming: Renaming) {
        guard owners[renaming.session] != nil, let epoch = renaming.epoch else { return }
        renamed[epoch] = renaming.session
    }

    /// The worker has not renamed it: it is called as before, unless somebody has taken that name.
    public mutating func renameFailed(_ session: String, to name: String) {
        guard let app = owners[name], owners[session] == nil else { return }
        move(name, to: session, of: app)
    }

    /// A worker that has outlived an earlier napkind says what it holds.
    public mutating func registered(_ register: Register) {
        for session in register.sessions { owners[session] = register.app }
        for renaming in register.renamed ?? [] { renameAnswered(renaming) }
    }
}
