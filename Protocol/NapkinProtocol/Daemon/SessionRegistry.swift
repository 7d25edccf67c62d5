// SessionRegistry: napkind's index of sessions: their apps and workers, and their new names.
//
// Isolation  value; owned by napkind. Time is a parameter.
// Invariant  a name belongs to one worker of one app; an epoch leads to a session that is known.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Knows each session, even one that is only stored, from its first open until it is killed. If
/// nobody attaches and nothing is stored, forgets it `Limits.nameReservationSeconds` after the last
/// open.
public struct SessionRegistry: Hashable, Sendable {
    /// The action to take for a front that opens a session.
    public enum OpenAction: Equatable, Sendable {
        /// Admit the front to this session, which may have been renamed.
        case admit(session: String)
        /// The name belongs to a session of this app.
        case refuseAnotherApp(String)
        case refuseUnknown
        /// No worker may take another session.
        case refuseFull
    }

    /// The action to take for a request to rename a session.
    public enum RenameAction: Equatable, Sendable {
        /// Tell the app's worker, then report `renameAnswered` or `renameFailed`. The new name is
        /// valid from now on: later opens reach the worker after the renaming.
        case tell(app: String)
        case refuseUnknown
        /// The name belongs to a session of this app, or is kept for one opened at its start.
        case refuseTaken(app: String)
    }

    private struct Entry: Hashable, Sendable {
        var worker: WorkerID
        /// Whether the worker has reported that it holds the session.
        var isInMemory = false
        /// Whether the worker's journal is known to have it.
        var isStored = false
        /// The number of unanswered opens.
        var opens = 0
        /// Until when, in milliseconds, the name is kept if the session is neither held nor stored.
        var reservedUntil: UInt64 = 0
    }

    /// The sessions of one worker.
    private struct Members: Hashable, Sendable {
        var names: Set<String> = []
        var heldCount = 0
    }

    /// Changed only by `insert` and `remove`.
    private var entries: [String: Entry] = [:]
    private var members: [WorkerID: Members] = [:]
    /// The stored sessions of each starting worker, until it has registered them.
    private var unconfirmed: [WorkerID: Set<String>] = [:]
    /// By app, the first names of stored sessions that a new worker no longer had.
    private var lostSessions: [String: [String]] = [:]
    /// Lost names kept for an app. Chosen: its log has all.
    private static let lostMax = 20
    /// The number of names at which expired ones are removed. Chosen: so few cost nothing to keep.
    private var sweepAt = Self.sweepMin
    private static let sweepMin = 1024
    /// The names of renamed sessions, by the epochs of their trees.
    private var renamed: [UInt32: String] = [:]
    /// Renamings that the worker has not answered yet: new names by old names.
    private var renaming: [String: String] = [:]
    /// By name, the apps that open a session of that name at start. Only their sessions may have
    /// these names, whether or not they exist.
    public var owners: [String: String]

    /// - Parameter owners: by name, the apps that open a session of that name at start.
    public init(owners: [String: String] = [:]) { self.owners = owners }

    /// The known names, in no order.
    public var names: some Sequence<String> { entries.keys }

    /// Returns the number of sessions that the worker holds.
    public func count(of worker: WorkerID) -> Int { members[worker]?.heldCount ?? 0 }

    /// Returns the names of the sessions that the worker holds, in no order.
    public func held(by worker: WorkerID) -> [String] {
        members[worker]?.names.filter { entries[$0]?.isInMemory == true } ?? []
    }

    /// Returns the names of the sessions that end with the worker, in no order: it holds them but
    /// has not stored them.
    public func ending(with worker: WorkerID) -> [String] {
        held(by: worker).filter { !isStored($0) }
    }

    /// Returns the names of the app's sessions that are known at `now`, in milliseconds.
    public func known(of app: String, at now: UInt64) -> Set<String> {
        Set(
            members.lazy.filter { $0.key.app == app }.flatMap { $0.value.names }
                .filter { entries[$0].map { isKnown($0, at: now) } ?? false })
    }

    /// Returns whether the worker holds no session, and none is about to be opened there at `now`,
    /// in milliseconds. Its journal may have some.
    public func isUnused(_ worker: WorkerID, at now: UInt64) -> Bool {
        members[worker]?.names.allSatisfy { entries[$0].map { !isUsed($0, at: now) } ?? true }
            ?? true
    }

    /// Returns the names of the sessions that the worker's journal has and the worker does not
    /// hold, in no order.
    public func stored(by worker: WorkerID) -> [String] {
        members[worker]?.names.filter { entries[$0].map { $0.isStored && !$0.isInMemory } ?? false }
            ?? []
    }

    /// The workers whose journals have sessions, in no order.
    public func storing(_ app: String) -> [WorkerID] {
        members.lazy.filter { $0.key.app == app && $0.value.names.contains(where: isStored) }
            .map(\.key)
    }

    /// Returns whether a journal is known to have the session.
    public func isStored(_ session: String) -> Bool { entries[session]?.isStored == true }

    /// Returns the names, at most 20, of the app's stored sessions that a new worker no longer had.
    public func lostSessions(of app: String) -> [String] { lostSessions[app] ?? [] }

    /// Somebody has dealt with the sessions that the app has lost, or the app has gone.
    public mutating func forgetLost(of app: String) { lostSessions[app] = nil }

    /// Returns whether a session of that name exists, not only a request to open one.
    public func exists(_ session: String) -> Bool {
        entries[session].map { $0.isInMemory || $0.isStored } ?? false
    }

    /// Returns the worker of a session that is known at `now`, in milliseconds.
    public func worker(of session: String, at now: UInt64) -> WorkerID? {
        entries[session].flatMap { isKnown($0, at: now) ? $0.worker : nil }
    }

    /// Returns the app of a session that is known at `now`, in milliseconds.
    public func app(of session: String, at now: UInt64) -> String? {
        worker(of: session, at: now)?.app
    }

    /// Returns the only app that may open a session of that name, known or not.
    public func owner(of session: String, at now: UInt64) -> String? {
        app(of: session, at: now) ?? owners[session]
    }

    private func isUsed(_ entry: Entry, at now: UInt64) -> Bool {
        entry.isInMemory || entry.opens > 0 || entry.reservedUntil > now
    }

    private func isKnown(_ entry: Entry, at now: UInt64) -> Bool {
        entry.isStored || isUsed(entry, at: now)
    }

    private mutating func insert(_ session: String, _ entry: Entry) {
        remove(session)
        entries[session] = entry
        members[entry.worker, default: Members()].names.insert(session)
        if entry.isInMemory { members[entry.worker]?.heldCount += 1 }
    }

    @discardableResult
    private mutating func remove(_ session: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: session) else { return nil }
        members[entry.worker]?.names.remove(session)
        if entry.isInMemory { members[entry.worker]?.heldCount -= 1 }
        if members[entry.worker]?.names.isEmpty == true { members[entry.worker] = nil }
        return entry
    }

    /// A front asks where its session runs. Report `openEnded` for the admitted session.
    ///
    /// - Parameter workers: the numbers of the workers that may take a new session; the first of
    ///   those with the fewest sessions takes it.
    public mutating func opened(
        _ open: Open, at now: UInt64, among workers: [Int] = [0]
    ) -> OpenAction {
        if let epoch = open.epoch, let session = renamed[epoch],
            app(of: session, at: now) == open.app
        {
            entries[session]?.opens += 1
            return .admit(session: session)
        }
        let session = open.session ?? open.app
        if let owner = owner(of: session, at: now), owner != open.app {
            return .refuseAnotherApp(owner)
        }
        switch app(of: session, at: now) {
        case nil where !open.creates: return .refuseUnknown
        case nil:
            sweep(at: now)
            let chosen = workers.map { WorkerID(app: open.app, number: $0) }
                .min { members[$0]?.names.count ?? 0 < members[$1]?.names.count ?? 0 }
            guard let chosen else { return .refuseFull }
            insert(session, Entry(worker: chosen, opens: 1))
        default: entries[session]?.opens += 1
        }
        return .admit(session: session)
    }

    /// The front has its ticket, or was refused. The name is reserved for its session for a while.
    public mutating func openEnded(_ session: String, at now: UInt64) {
        guard var entry = entries[session] else { return }
        entry.opens = max(0, entry.opens - 1)
        entry.reservedUntil = now + Self.reservation
        entries[session] = entry
    }

    private static let reservation = UInt64(Limits.nameReservationSeconds) * 1000

    private mutating func sweep(at now: UInt64) {
        guard entries.count >= sweepAt else { return }
        for (session, entry) in entries where !isKnown(entry, at: now) { remove(session) }
        sweepAt = max(Self.sweepMin, entries.count * 2)
    }

    /// A session is being killed. Returns its app; `nil` if there is no such session.
    public mutating func killed(_ session: String, at now: UInt64) -> String? {
        guard let app = app(of: session, at: now) else { return nil }
        renamed = renamed.filter { $0.value != session }
        remove(session)
        return app
    }

    /// The worker has ended the session, which voids its reports about a session of that name.
    public mutating func killAnswered(_ session: String, by worker: WorkerID, at now: UInt64) {
        guard var entry = entries[session], entry.isInMemory || entry.isStored,
            entry.worker == worker
        else { return }
        (entry.isInMemory, entry.isStored) = (false, false)
        entry.reservedUntil = now + Self.reservation
        insert(session, entry)
    }

    /// The worker could not end the session, and still holds it unless the name has been taken.
    public mutating func killFailed(_ session: String, by worker: WorkerID) {
        if entries[session] == nil { hold(session, by: worker) }
    }

    /// An app is no longer hosted, and has no worker: its sessions' names are free.
    public mutating func appRemoved(_ app: String) {
        forgetLost(of: app)
        for (session, entry) in entries where entry.worker.app == app { remove(session) }
    }

    /// The worker restarts, and will report which sessions it holds and has stored. The names of
    /// the sessions that it held are kept for a while, for fronts that return.
    ///
    /// - Parameter opened: the sessions that it must open at start.
    public mutating func workerStarts(
        _ worker: WorkerID, opening opened: [String] = [], at now: UInt64
    ) {
        for name in held(by: worker) where !opened.contains(name) {
            guard var entry = entries[name] else { continue }
            entry.isInMemory = false
            entry.reservedUntil = now + Self.reservation
            insert(name, entry)
        }
        let stored = members[worker]?.names.filter { entries[$0]?.isStored == true }
        unconfirmed[worker] = stored.map(Set.init)
    }

    /// A worker that does not run has left these sessions in its journal. Another worker's names
    /// stay with that worker.
    ///
    /// - Returns: the names that belong to another worker.
    public mutating func found(_ names: [String], storedBy worker: WorkerID) -> [String] {
        names.filter { name in
            var entry = entries[name] ?? Entry(worker: worker)
            guard entry.worker == worker else { return true }
            entry.isStored = true
            insert(name, entry)
            return false
        }
    }

    /// A worker has ended for good: its sessions have ended, and their names are free.
    public mutating func workerRemoved(_ worker: WorkerID) {
        guard let names = members[worker]?.names else { return }
        renamed = renamed.filter { !names.contains($0.value) }
        for name in names { remove(name) }
        unconfirmed[worker] = nil
    }

    /// Returns the present name of a session that the worker may still know by an older one.
    private func current(_ name: String) -> String {
        var session = name
        for _ in 0..<renaming.count { session = renaming[session] ?? session }
        return session
    }

    private mutating func hold(_ name: String, by worker: WorkerID) {
        let session = current(name)
        var entry = entries[session] ?? Entry(worker: worker)
        if entry.worker != worker { entry.isStored = false }
        entry.worker = worker
        entry.isInMemory = true
        insert(session, entry)
    }

    /// - Parameter isInMemory: whether the worker also holds it.
    private mutating func store(_ name: String, by worker: WorkerID, isInMemory: Bool) {
        let session = current(name)
        var entry = entries[session] ?? Entry(worker: worker)
        // A worker that holds a session of that name owns the name.
        guard entry.worker == worker || !entry.isInMemory else { return }
        entry.worker = worker
        (entry.isInMemory, entry.isStored) = (isInMemory, true)
        insert(session, entry)
        unconfirmed[worker]?.remove(session)
    }

    /// A session is to be renamed; `name` is valid.
    public mutating func renameRequested(
        _ session: String, to name: String, at now: UInt64
    ) -> RenameAction {
        guard let app = app(of: session, at: now) else { return .refuseUnknown }
        if let owner = owner(of: name, at: now), owner != app || self.app(of: name, at: now) != nil
        {
            return .refuseTaken(app: owner)
        }
        move(session, to: name)
        renaming[session] = name
        return .tell(app: app)
    }

    private mutating func move(_ session: String, to name: String) {
        if let entry = remove(session) { insert(name, entry) }
        for (epoch, former) in renamed where former == session { renamed[epoch] = name }
    }

    /// The worker has renamed the session.
    public mutating func renameAnswered(_ renaming: Renaming) {
        self.renaming = self.renaming.filter { $0.value != renaming.session }
        guard entries[renaming.session] != nil, let epoch = renaming.epoch else { return }
        renamed[epoch] = renaming.session
    }

    /// The worker has not renamed the session. It gets its old name back, unless that is taken.
    public mutating func renameFailed(_ session: String, to name: String) {
        renaming[session] = nil
        if entries[session] == nil, entries[name] != nil { move(name, to: session) }
    }

    /// A worker reports the sessions that it holds, after napkind's restart or when it holds more.
    ///
    /// - Parameter number: the worker's number within its app.
    /// - Returns: the stored sessions that the worker no longer has.
    @discardableResult
    public mutating func registered(_ register: Register, by number: Int = 0) -> [String] {
        let worker = WorkerID(app: register.app, number: number)
        for session in register.sessions { hold(session, by: worker) }
        let held = Set(register.sessions)
        for session in register.stored ?? [] {
            store(session, by: worker, isInMemory: held.contains(session))
        }
        for renaming in register.renamed { renameAnswered(renaming) }
        guard !register.continues, let gone = unconfirmed.removeValue(forKey: worker) else {
            return []
        }
        return gone.sorted().filter { session in
            guard var entry = entries[session], entry.worker == worker, entry.isStored else {
                return false
            }
            entry.isStored = false
            insert(session, entry)
            let known = lostSessions(of: register.app)
            if known.count < Self.lostMax, !known.contains(session) {
                lostSessions[register.app] = known + [session]
            }
            return true
        }
    }
}
