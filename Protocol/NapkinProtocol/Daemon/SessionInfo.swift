// SessionInfo: a session and its fronts, as listed for tools.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCoding

/// One front of a session.
@Message
public struct FrontInfo: Equatable, MandatoryFields {
    public var front: UInt64
    public var client: String
    /// Its process id; 0 if unknown, as it has not returned since its session was restored.
    public var pid: Int32
    public var uid: UInt32
    /// Seconds since the front last sent something; since its connection ended if it is away.
    public var idleSeconds: Int = 0
    public var isReadOnly: Bool = false
    /// Whether the front reads more slowly than the worker sends; absent if it is away.
    public var isSlow: Bool?
    /// The front whose pages it shows in place of its own.
    public var mirrors: UInt64?
}

/// One session.
@Message
public struct SessionInfo: Equatable, MandatoryFields {
    public var session: String
    public var app: String
    /// The worker's process id; 0 if none runs, so that the session is only stored.
    public var pid: Int32
    public var ageSeconds: Int
    public var nodes: Int
    public var fronts: [FrontInfo]
    /// The fronts whose connection was lost and whose record is kept.
    public var away: [FrontInfo] = []
    /// Resident memory of the worker's process, which all its sessions share.
    public var workerBytes: Int?
    /// Whether the session is stored but not in memory; absent if it is in memory.
    public var isStored: Bool?
    /// The durability of its states, if any are kept: `machine` or `process`.
    public var durability: String?
    /// Why its worker last failed to restore it; absent if it could, or has not tried.
    public var defect: String?
    /// Whether its stored data is damaged, so that no version of the app could restore it.
    public var isDamaged: Bool?
    /// Why the worker did not answer; napkind's entry then has no nodes, age or fronts. Absent if
    /// the worker has answered.
    public var silence: String?
    /// As in `Attached`.
    public var takenBack: UInt64?
}

extension SessionInfo {
    /// Creates the entry of a session that is stored but not in memory.
    ///
    /// - Parameter pid: the process id of the worker that has its journal; 0 if none runs.
    public init(stored session: String, app: String, pid: Int32 = 0, workerBytes: Int? = nil) {
        self.init(
            session: session, app: app, pid: pid, ageSeconds: 0, nodes: 0, fronts: [],
            workerBytes: workerBytes, isStored: true)
    }
}
