// SessionInfo: what is told of a session and of its fronts.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

/// One front of a session.
package struct FrontInfo: Codable, Equatable, Sendable {
    package var front: UInt64
    package var client: String
    /// Its process; 0 if that is not known: it has not come back since its session was restored.
    package var pid: Int32
    package var uid: UInt32
    /// Seconds since the front last sent something; since its connection ended if it is away.
    package var idleSeconds: Int
    package var isReadOnly: Bool
    /// Whether the front reads more slowly than the worker sends; absent if it is away.
    package var isSlow: Bool?
    /// The front whose pages it shows in place of own ones.
    package var mirrors: UInt64?

    package init(
        front: UInt64, client: String, pid: Int32, uid: UInt32, idleSeconds: Int = 0,
        isReadOnly: Bool = false, isSlow: Bool? = nil, mirrors: UInt64? = nil
    ) {
        self.mirrors = mirrors
        self.isSlow = isSlow
        self.isReadOnly = isReadOnly
        self.idleSeconds = idleSeconds
        self.front = front
        self.client = client
        self.pid = pid
        self.uid = uid
    }
}

/// One session.
package struct SessionInfo: Codable, Equatable, Sendable {
    package var session: String
    package var app: String
    /// The worker's process id; 0 if none runs, so that the session is only stored.
    package var pid: Int32
    package var ageSeconds: Int
    package var nodes: Int
    package var fronts: [FrontInfo]
    /// The fronts whose connection was lost and whose record is kept.
    package var away: [FrontInfo]
    /// Resident memory of the worker's process, which holds all sessions of the app.
    package var workerBytes: Int?
    /// Whether the session is stored, and not in memory; absent if it is there.
    package var isStored: Bool?
    /// What its states survive, if anything is kept of it: `machine` or `process`.
    package var durability: String?
    /// Why its worker could not restore it when a front last wanted it; absent if that is not so.
    package var defect: String?
    /// Whether it is what is stored that is wrong, so that no version of the app could restore it.
    package var isDamaged: Bool?
    /// Why the worker could not be asked: then napkind tells what it knows, which has no nodes, no
    /// age and no fronts. Absent if the worker has answered.
    package var silence: String?

    package init(
        session: String, app: String, pid: Int32, ageSeconds: Int, nodes: Int,
        fronts: [FrontInfo], away: [FrontInfo] = [], workerBytes: Int? = nil,
        isStored: Bool? = nil, durability: String? = nil
    ) {
        self.durability = durability
        self.isStored = isStored
        self.workerBytes = workerBytes
        self.away = away
        self.session = session
        self.app = app
        self.pid = pid
        self.ageSeconds = ageSeconds
        self.nodes = nodes
        self.fronts = fronts
    }
}

extension SessionInfo {
    /// A session that is stored and not in memory.
    ///
    /// - Parameter pid: the process that has its journal; 0 if none runs.
    package init(stored session: String, app: String, pid: Int32 = 0, workerBytes: Int? = nil) {
        self.init(
            session: session, app: app, pid: pid, ageSeconds: 0, nodes: 0, fronts: [],
            workerBytes: workerBytes, isStored: true)
    }
}
