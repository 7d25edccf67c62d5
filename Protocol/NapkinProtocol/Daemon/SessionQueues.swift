// SessionQueues: what waits in a session, and how much may, in the answer about a tree.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, sections 6.8 (answer) and 12 (Limits)

/// The use of every queue of one session, and the limits that hold for them.
public struct SessionQueues: Codable, Equatable, Sendable {
    /// What waits for one front, or is kept for it. Next to each: the limit that holds for it.
    public struct Front: Codable, Equatable, Sendable {
        public var front: UInt64
        /// Whether its connection is lost and its record kept.
        public var isAway: Bool
        /// Events whose handlers have not returned: `eventWindow`.
        public var events = 0
        /// Effects that wait: `effectQueueMax`.
        public var effects = 0
        /// States that wait, each once: no more than the nodes' methods.
        public var states = 0
        /// Bytes that must arrive and wait: `orderedBacklogBytesMax`.
        public var orderedBytes = 0
        /// Bytes that its socket has not taken: past `slowFrontBytes` the front is slow.
        public var socketBytes = 0
        /// Answers that it has not confirmed: `answersKeptMax`.
        public var answers = 0
        /// The kept answers' bytes: at most `answersKeptBytesMax`.
        public var answerBytes = 0
        /// Workflows under way: `workflowsMax`.
        public var workflows = 0
        /// States of this connection that were replaced before they were sent.
        public var mergedStates = 0
        /// Effects of this connection that it never saw.
        public var droppedEffects = 0
        /// Events that were refused because of what the front did.
        public var refusedEvents = 0

        public init(front: UInt64, isAway: Bool) {
            self.front = front
            self.isAway = isAway
        }
    }

    /// What waits for somebody who traces the session.
    public struct Tracer: Codable, Equatable, Sendable {
        public var tracer: UInt64
        /// Messages that have not been fetched: `traceMessagesMax`.
        public var messages: Int
        /// Bytes of their values: `traceBytesMax`.
        public var bytes: Int
        /// Messages that had no room, so far.
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

    /// Asks that no front has answered: one for each interactor that waits.
    public var asks: Int
    /// Fronts that are away and have not been forgotten: `departedFrontsMax`.
    public var departedFronts: Int
    /// Effects that were presented while no front was attached, and dropped.
    public var unseenEffects: Int
    /// Tickets that the worker will take, of all its sessions: `ticketsMax`.
    public var tickets: Int
    /// What napkind has asked the worker and waits for, with this question: `controlRequestsMax`.
    public var controlRequests: Int
    /// The fronts that are here, then those that are away.
    public var fronts: [Front]
    /// The tools that trace the session, at most `tracersMax`; absent when there is none.
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
