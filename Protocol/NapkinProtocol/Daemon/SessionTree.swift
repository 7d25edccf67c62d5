// SessionTree: a session's tree, as shown to tools, with the inventory of its objects and its
// queues.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions); Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding

/// One router of a session's tree, with its children.
@Message
public struct TreeNode: Equatable {
    public var feature: String
    public var slot: String
    /// The mounted node's number; `nil` for a headless feature.
    public var node: UInt32?
    /// The front that owns the page; absent for routers that all fronts share, and below a page.
    public var front: UInt64?
    public var isActive: Bool
    /// Bound tasks that have not finished.
    public var tasks: Int
    /// Event handlers that have not returned.
    public var calls: Int
    /// State methods that have a value.
    public var states: Int
    /// Log methods that have items; absent if there are none.
    public var logs: Int?
    public var children: [TreeNode]
}

/// A session's tree.
@Message
public struct SessionTree: Equatable {
    public var session: String
    public var app: String
    /// The epoch of the tree.
    public var epoch: UInt32
    /// `nil` when the session has ended.
    public var root: TreeNode?
    /// The workflows under way; absent if there are none.
    public var workflows: [WorkflowInfo]?
    /// The objects created and released by the tree; absent if not requested, and before the tree
    /// is launched.
    public var inventory: SessionInventory?
    /// The session's queues; absent when the session has ended.
    public var queues: SessionQueues?
    /// Its handlers' changes to the stored session; absent if nothing is stored, or not requested.
    public var ledger: [LedgerCount]?
    /// The session's held programs; absent if there are none.
    public var programs: [HeldInfo]?
}

/// A program that a keeper holds for a session.
@Message
public struct HeldInfo: Equatable {
    /// The state of the program.
    public enum State: String, Codable, Sendable {
        case running
        case ended
        /// Its keeper was killed, or the machine has restarted.
        case lost
    }

    public var key: String
    public var state: State
    /// The program's process; absent if it has ended.
    public var pid: Int32?
    /// The program and its arguments, for people, shortened.
    public var command: String
}

/// Counts of the objects that one session's tree has created and released.
@Message
public struct SessionInventory: Equatable {
    /// The most remnants listed. Chosen: a repeated leak still fits into one frame.
    public static let remnantsMax = 100

    /// The counts of one kind of object.
    @Message
    public struct Count: Equatable {
        /// `node`, `router`, `scope`, `task`, `sender`, `stream` or `slot`; others may follow.
        public var kind: String
        public var created: Int
        public var released: Int
        /// The number not released although their features have been detached.
        public var left: Int
    }

    /// Unreleased objects with the same owner and description.
    @Message
    public struct Remnant: Equatable {
        /// The path of the feature: `launch/loggedIn/pitBoard`.
        public var owner: String
        public var what: String
        public var count: Int
    }

    public var counts: [Count]
    /// At most `remnantsMax`, sorted by owner; `counts` covers all.
    public var remnants: [Remnant]
}

/// The lengths of all queues of one session, and their limits.
@Message
public struct SessionQueues: Equatable, MandatoryFields {
    /// The queues and records of one front. Each comment names the limit.
    @Message
    public struct Front: Equatable, MandatoryFields {
        public var front: UInt64
        /// Whether the front's connection is lost and its record kept.
        public var isAway: Bool
        /// Events whose handlers have not returned: at most `eventWindow`.
        public var events: Int = 0
        /// Waiting effects: at most `effectQueueMax`.
        public var effects: Int = 0
        /// Waiting states, each once: at most as many as the nodes have state methods.
        public var states: Int = 0
        /// Waiting bytes that must be delivered: at most `orderedBacklogBytesMax`.
        public var orderedBytes: Int = 0
        /// Bytes that the socket has not taken: beyond `slowFrontBytes` the front is slow.
        public var socketBytes: Int = 0
        /// Answers that the front has not confirmed: at most `answersKeptMax`.
        public var answers: Int = 0
        /// Bytes of these answers: at most `answersKeptBytesMax`.
        public var answerBytes: Int = 0
        /// Workflows under way: at most `workflowsMax`.
        public var workflows: Int = 0
        /// States that were replaced on this connection before they were sent.
        public var mergedStates: Int = 0
        /// Effects that were dropped on this connection.
        public var droppedEffects: Int = 0
        /// Events refused because of the front's behaviour.
        public var refusedEvents: Int = 0
    }

    /// The queue of a tool that traces the session.
    @Message
    public struct Tracer: Equatable {
        public var tracer: UInt64
        /// Messages that have not been fetched: at most `traceMessagesMax`.
        public var messages: Int
        /// Bytes of their values: at most `traceBytesMax`.
        public var bytes: Int
        /// Messages dropped so far for lack of room.
        public var lost: UInt64
    }

    /// The limits, by their names in the specification.
    @Message
    public struct Limits: Equatable, MandatoryFields {
        public var eventWindow: Int = NapkinProtocol.Limits.eventWindow
        public var effectQueueMax: Int = NapkinProtocol.Limits.effectQueueMax
        public var slowFrontBytes: Int = NapkinProtocol.Limits.slowFrontBytes
        public var orderedBacklogBytesMax: Int = NapkinProtocol.Limits.orderedBacklogBytesMax
        public var answersKeptMax: Int = NapkinProtocol.Limits.answersKeptMax
        public var answersKeptBytesMax: Int = NapkinProtocol.Limits.answersKeptBytesMax
        public var workflowsMax: Int = NapkinProtocol.Limits.workflowsMax
        public var departedFrontsMax: Int = NapkinProtocol.Limits.departedFrontsMax
        public var ticketsMax: Int = NapkinProtocol.Limits.ticketsMax
        public var controlRequestsMax: Int = NapkinProtocol.Limits.controlRequestsMax
        public var tracersMax: Int = NapkinProtocol.Limits.tracersMax
        public var traceMessagesMax: Int = NapkinProtocol.Limits.traceMessagesMax
        public var traceBytesMax: Int = NapkinProtocol.Limits.traceBytesMax
    }

    /// Questions that no front has answered, one for each waiting interactor.
    public var asks: Int
    /// Fronts that are away but not yet forgotten: at most `departedFrontsMax`.
    public var departedFronts: Int
    /// Effects that were dropped because no front was attached.
    public var unseenEffects: Int
    /// Unused tickets of the worker, for all its sessions: at most `ticketsMax`.
    public var tickets: Int = 0
    /// Unanswered requests of napkind to the worker, this one included: at most
    /// `controlRequestsMax`.
    public var controlRequests: Int = 0
    /// The connected fronts, then those that are away.
    public var fronts: [Front]
    /// The tools that trace the session, at most `tracersMax`; absent if there are none.
    public var tracers: [Tracer]?
    public var limits: Limits = Limits()
}
