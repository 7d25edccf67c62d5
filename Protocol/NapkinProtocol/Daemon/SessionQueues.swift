// SessionQueues: the queues of a session and their limits, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions); Protocol/SPEC.md, section 12 (Limits)

import NapkinCoding

/// The lengths of all queues of one session, and their limits.
@Message
public struct SessionQueues: Equatable {
    /// The queues and records of one front. Each comment names the limit.
    @Message
    public struct Front: Equatable {
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
    public struct Limits: Equatable {
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
