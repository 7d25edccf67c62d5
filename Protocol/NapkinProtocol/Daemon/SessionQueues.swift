// SessionQueues: the queues of a session and their limits, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions); Protocol/SPEC.md, section 12 (Limits)

/// The lengths of all queues of one session, and their limits.
public struct SessionQueues: Codable, Equatable, Sendable {
    /// The queues and records of one front. Each comment names the limit.
    public struct Front: Codable, Equatable, Sendable {
        public var front: UInt64
        /// Whether the front's connection is lost and its record kept.
        public var isAway: Bool
        /// Events whose handlers have not returned: at most `eventWindow`.
        public var events = 0
        /// Waiting effects: at most `effectQueueMax`.
        public var effects = 0
        /// Waiting states, each once: at most as many as the nodes have state methods.
        public var states = 0
        /// Waiting bytes that must be delivered: at most `orderedBacklogBytesMax`.
        public var orderedBytes = 0
        /// Bytes that the socket has not taken: beyond `slowFrontBytes` the front is slow.
        public var socketBytes = 0
        /// Answers that the front has not confirmed: at most `answersKeptMax`.
        public var answers = 0
        /// Bytes of these answers: at most `answersKeptBytesMax`.
        public var answerBytes = 0
        /// Workflows under way: at most `workflowsMax`.
        public var workflows = 0
        /// States that were replaced on this connection before they were sent.
        public var mergedStates = 0
        /// Effects that were dropped on this connection.
        public var droppedEffects = 0
        /// Events refused because of the front's behaviour.
        public var refusedEvents = 0

        public init(front: UInt64, isAway: Bool) {
            self.front = front
            self.isAway = isAway
        }
    }

    /// The queue of a tool that traces the session.
    public struct Tracer: Codable, Equatable, Sendable {
        public var tracer: UInt64
        /// Messages that have not been fetched: at most `traceMessagesMax`.
        public var messages: Int
        /// Bytes of their values: at most `traceBytesMax`.
        public var bytes: Int
        /// Messages dropped so far for lack of room.
        public var lost: UInt64

        public init(tracer: UInt64, messages: Int, bytes: Int, lost: UInt64) {
            self.tracer = tracer
            self.messages = messages
            self.bytes = bytes
            self.lost = lost
        }
    }

    /// The limits, by their names in the specification.
    public struct Limits: Codable, Equatable, Sendable {
        public var eventWindow = NapkinProtocol.Limits.eventWindow
        public var effectQueueMax = NapkinProtocol.Limits.effectQueueMax
        public var slowFrontBytes = NapkinProtocol.Limits.slowFrontBytes
        public var orderedBacklogBytesMax = NapkinProtocol.Limits.orderedBacklogBytesMax
        public var answersKeptMax = NapkinProtocol.Limits.answersKeptMax
        public var answersKeptBytesMax = NapkinProtocol.Limits.answersKeptBytesMax
        public var workflowsMax = NapkinProtocol.Limits.workflowsMax
        public var departedFrontsMax = NapkinProtocol.Limits.departedFrontsMax
        public var ticketsMax = NapkinProtocol.Limits.ticketsMax
        public var controlRequestsMax = NapkinProtocol.Limits.controlRequestsMax
        public var tracersMax = NapkinProtocol.Limits.tracersMax
        public var traceMessagesMax = NapkinProtocol.Limits.traceMessagesMax
        public var traceBytesMax = NapkinProtocol.Limits.traceBytesMax

        public init() {}
    }

    /// Questions that no front has answered, one for each waiting interactor.
    public var asks: Int
    /// Fronts that are away but not yet forgotten: at most `departedFrontsMax`.
    public var departedFronts: Int
    /// Effects that were dropped because no front was attached.
    public var unseenEffects: Int
    /// Unused tickets of the worker, for all its sessions: at most `ticketsMax`.
    public var tickets: Int
    /// Unanswered requests of napkind to the worker, this one included: at most
    /// `controlRequestsMax`.
    public var controlRequests: Int
    /// The connected fronts, then those that are away.
    public var fronts: [Front]
    /// The tools that trace the session, at most `tracersMax`; absent if there are none.
    public var tracers: [Tracer]?
    public var limits = Limits()

    public init(
        asks: Int, departedFronts: Int, unseenEffects: Int, tickets: Int = 0,
        controlRequests: Int = 0, fronts: [Front]
    ) {
        self.asks = asks
        self.departedFronts = departedFronts
        self.unseenEffects = unseenEffects
        self.tickets = tickets
        self.controlRequests = controlRequests
        self.fronts = fronts
    }
}
