// Cluster: the machines that share a database, as fronts and tools see them.
//
// Spec       Protocol/SPEC.md, sections 6.3 (refused) and 6.10 (redirect); Protocol/TOOLS.md,
//            section 7 (Machines)

import NapkinCoding

/// The location of a machine's napkind.
@Message
public struct MachineAddress: Hashable {
    /// The URL by which ssh reaches it: `ssh://[user@]host[:port]`.
    public var host: String
    /// The path of napkind's socket there; absent for the default.
    public var socket: String?
}

/// One machine of a cluster.
@Message
public struct MachineInfo: Equatable {
    public var name: String
    public var address: MachineAddress
    /// Seconds since its napkind last told the database that it runs.
    public var seconds: Int
    /// The number of workers whose journals it has now.
    public var places: Int
    /// Whether its sessions should move to other machines.
    public var isDraining: Bool
    /// Whether it is the machine that answers.
    public var isHere: Bool
}

/// One stored session of a cluster.
@Message
public struct ClusterSession: Equatable {
    public var session: String
    public var app: String
    /// The name of its journal, which is its worker's name.
    public var journal: String
    /// The machine that has the journal; absent if none does.
    public var machine: String?
}

/// The answer to `cluster`.
@Message
public struct Cluster: Equatable {
    public var name: String
    public var machines: [MachineInfo]
    /// The stored sessions, if they were asked for.
    public var sessions: [ClusterSession]?
}

extension MachineInfo {
    /// Seconds of silence after which a machine is assumed to be gone. Chosen: two of its reports
    /// may fail.
    public static let silenceSecondsMax = 15
}
