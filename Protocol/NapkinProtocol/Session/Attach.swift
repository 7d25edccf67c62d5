// Attach: the payloads that join a front to a session.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// A front joins the session that its ticket names.
public struct Attach: Codable, Equatable, Sendable {
    /// Refuses the front's events and asks it nothing.
    public var isReadOnly: Bool
    /// The number that this front had before it lost its connection, and the epoch it last saw.
    public var previousFront: UInt64?
    public var previousEpoch: UInt32?
    /// The contract hashes of the features that the front has views for.
    public var contracts: [String: UInt64]
    /// Asks for a schema frame between `attached` and the snapshot.
    public var wantsSchema: Bool
    /// True: the front has nobody who could answer, so that it is asked nothing.
    public var declinesAsks: Bool?
    /// True: the session's other fronts are detached when this one is attached.
    public var takesOver: Bool?
    /// True: a state may come as the difference to the one before.
    public var takesDeltas: Bool?
    /// True: the front is told how many are attached, now and when that changes.
    public var countsFronts: Bool?

    public init(
        isReadOnly: Bool = false, previousFront: UInt64? = nil, previousEpoch: UInt32? = nil,
        contracts: [String: UInt64] = [:], wantsSchema: Bool = false, declinesAsks: Bool? = nil,
        takesOver: Bool? = nil, takesDeltas: Bool? = nil, countsFronts: Bool? = nil
    ) {
        self.countsFronts = countsFronts
        self.takesOver = takesOver
        self.takesDeltas = takesDeltas
        self.declinesAsks = declinesAsks
        self.wantsSchema = wantsSchema
        self.isReadOnly = isReadOnly
        self.previousFront = previousFront
        self.previousEpoch = previousEpoch
        self.contracts = contracts
    }
}

extension Attach {
    /// Who the front says that it was.
    public var previousIdentity: SessionIdentity? {
        guard let previousFront, let previousEpoch else { return nil }
        return SessionIdentity(front: previousFront, epoch: previousEpoch)
    }
}

/// The session has the front; a transition with the whole tree follows.
public struct Attached: Codable, Equatable, Sendable {
    public var app: String
    public var session: String
    /// Identifies the front within the worker's life.
    public var front: UInt64
    /// Identifies the tree's life: another one after the worker has been started again.
    public var epoch: UInt32
    /// Events that the front may have outstanding.
    public var window: Int
    /// Whether the worker has the front's record: it goes on where it was.
    public var isResumed: Bool

    public init(
        app: String, session: String, front: UInt64, epoch: UInt32, window: Int, isResumed: Bool
    ) {
        self.app = app
        self.session = session
        self.front = front
        self.epoch = epoch
        self.window = window
        self.isResumed = isResumed
    }
}

/// The session that the front is attached to has another name.
public struct Renamed: Codable, Equatable, Sendable {
    /// The session's new name.
    public var session: String

    public init(session: String) {
        self.session = session
    }
}

/// What a front has missed because it did not read: the newest of those states follow.
public struct Skipped: Codable, Equatable, Sendable {
    /// States that newer ones have replaced before they were sent.
    public var states: Int
    /// Effects that were dropped.
    public var effects: Int

    public init(states: Int = 0, effects: Int = 0) {
        self.states = states
        self.effects = effects
    }
}

/// The payload of a fault frame.
public struct Fault: Codable, Equatable, Sendable {
    /// A `RemoteFault.Code`.
    public var code: String
    public var message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
