// Attach: the payloads with which a front joins a session and learns of changes to it.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding

/// A front's request to join the session that its ticket names.
@Message
public struct Attach: Equatable, MandatoryFields {
    /// True: the session refuses the front's events and asks it nothing.
    public var isReadOnly: Bool = false
    /// The front's number before it lost its connection, and the epoch that it last saw.
    public var previousFront: UInt64?
    public var previousEpoch: UInt32?
    /// The contract hashes of the features for which the front has views.
    public var contracts: [String: UInt64] = [:]
    /// True: a schema frame comes between `attached` and the snapshot.
    public var wantsSchema: Bool = false
    /// True: nobody at the front could answer, so the session asks it nothing.
    public var declinesAsks: Bool?
    /// True: the session's other fronts are detached when this one is attached.
    public var takesOver: Bool?
    /// True: a state may arrive as its difference from the previous one.
    public var takesDeltas: Bool?
    /// True: the front learns how many fronts are attached, now and whenever that changes.
    public var countsFronts: Bool?
    /// The front to mirror: this one shows its pages instead of its own, and is read-only.
    public var mirrors: UInt64?
    /// The front's positions in the logs of its previous epoch.
    public var logs: [LogPosition]?
    /// The name of the person or device at the front, at most `Limits.nameBytesMax` bytes.
    public var name: String?
    /// The context in which the front acts, as of W3C Trace Context. It counts if it is valid.
    public var traceparent: String?
}

/// The number of the next item that a front wants from a node's log.
@Message
public struct LogPosition: Equatable {
    public var node: UInt32
    public var method: UInt32
    public var next: UInt64
}

extension Attach {
    /// Whether the front changes nothing that others see.
    public var isObserver: Bool { isReadOnly || mirrors != nil }

    /// The trace in which the front acts.
    public var trace: TraceParent? { traceparent.flatMap(TraceParent.init) }

    /// The identity that the front says it had.
    public var previousIdentity: SessionIdentity? {
        guard let previousFront, let previousEpoch else { return nil }
        return SessionIdentity(front: previousFront, epoch: previousEpoch)
    }
}

/// The session's answer to an attach; a transition with the whole tree follows.
@Message
public struct Attached: Equatable {
    public var app: String
    public var session: String
    /// Identifies the front within the worker's life.
    public var front: UInt64
    /// Identifies the tree's life; it changes when the worker is restarted.
    public var epoch: UInt32
    /// Events that the front may have outstanding.
    public var window: Int
    /// Whether the worker has the front's record, so that the front continues where it was.
    public var isResumed: Bool
    /// The durability of the session's states, if any are kept: `machine` or `process`.
    public var durability: String?
    /// The receipt of the death after which the session was rolled back; absent if it was not.
    public var takenBack: UInt64?
}

/// Tells a front that a question is over.
@Message
public struct AskEnded: Equatable {
    /// The front whose answer has counted, in words for people; `nil` if nobody has answered.
    public var answeredBy: String?
}

/// The front's session has been renamed.
@Message
public struct Renamed: Equatable {
    /// The session's new name.
    public var session: String
}

/// Counts of what a slow front missed. The newest of the skipped states follow.
@Message
public struct Skipped: Hashable, MandatoryFields {
    /// States that were replaced by newer ones before they were sent.
    public var states: Int = 0
    /// Effects that were dropped.
    public var effects: Int = 0
}

/// The payload of a fault frame.
@Message
public struct Fault: Equatable {
    /// A `RemoteFault.Code`.
    public var code: String
    public var message: String
    /// The error thrown by the handler, encoded, if its method names the error's type.
    public var error: [UInt8]?
    /// The number of the receipt of a worker's death, for `quarantined`.
    public var receipt: UInt64?
}
