// SessionQueues: what waits in a session, with its limits, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions); Protocol/SPEC.md, section 12 (Limits)

/// The lengths of all queues of one session, and their limits.
package struct SessionQueues: Codable, Equatable, Sendable {
    /// What waits for one front, or is kept for it. Each comment names the limit.
    package struct Front: Codable, Equatable, Sendable {
        package var front: UInt64
        /// Whether the front's connection is lost and its record kept.
        package var isAway: Bool
        /// Events whose handlers have not returned: at most `eventWindow`.
        package var events = 0
        /// Effects that wait: at most `effectQueueMax`.
        package var effects = 0
        /// States that wait, each once: at most as many as the nodes have state methods.
        package var states = 0
        /// Bytes that must be delivered and wait: at most `orderedBacklogBytesMax`.
        package var orderedBytes = 0
        /// Bytes that the socket has not taken: beyond `slowFrontBytes` the front is slow.
        package var socketBytes = 0
        /// Answers that the front has not confirmed: at most `answersKeptMax`.
        package var answers = 0
        /// Bytes of these answers: at most `answersKeptBytesMax`.
        package var answerBytes = 0
        /// Workflows under way: at most `workflowsMax`.
        package var workflows = 0
        /// States that were replaced on this connection before they were sent.
        package var mergedStates = 0
        /// Effects that were dropped on this connection.
        package var droppedEffects = 0
        /// Events that were refused because of the front's behaviour.
        package var refusedEvents = 0

        package init(front: UInt64, isAway: Bool) {
            self.front = front
            self.isAway = isAway
        }
    }

    /// What waits for a tool that traces the session.
    package struct Tracer: Codable, Equatable, Sendable {
        package var tracer: UInt64
        /// Messages that have not been fetched: at most `traceMessagesMax`.
        package var messages: Int
        /// Bytes of their values: at most `traceBytesMax`.
        package var bytes: Int
        /// Messages dropped so far for lack of room.
        package var lost: UInt64

        package init(tracer: UInt64, messages: Int, bytes: Int, lost: UInt64) {
            self.tracer = tracer
            self.messages = messages
            self.bytes = bytes
            self.lost = lost
        }
    }

    /// The limits, by their names in the specification.
    package struct Limits: Codable, Equatable, Sendable {
        package var eventWindow = NapkinProtocol.Limits.eventWindow
        package var effectQueueMax = NapkinProtocol.Limits.effectQueueMax
        package var slowFrontBytes = NapkinProtocol.Limits.slowFrontBytes
        package var orderedBacklogBytesMax = NapkinProtocol.Limits.orderedBacklogBytesMax
        package var answersKeptMax = NapkinProtocol.Limits.answersKeptMax
        package var answersKeptBytesMax = NapkinProtocol.Limits.answersKeptBytesMax
        package var workflowsMax = NapkinProtocol.Limits.workflowsMax
        package var departedFrontsMax = NapkinProtocol.Limits.departedFrontsMax
        package var ticketsMax = NapkinProtocol.Limits.ticketsMax
        package var controlRequestsMax = NapkinProtocol.Limits.controlRequestsMax
        package var tracersMax = NapkinProtocol.Limits.tracersMax
        package var traceMessagesMax = NapkinProtocol.Limits.traceMessagesMax
        package var traceBytesMax = NapkinProtocol.Limits.traceBytesMax

        package init() {}
    }

    /// Questions that no front has answered, one for each waiting interactor.
    package var asks: Int
    /// Fronts that are away and not yet forgotten: at most `departedFrontsMax`.
    package var departedFronts: Int
    /// Effects that were dropped because no front was attached.
    package var unseenEffects: Int
    /// Unused tickets of the worker, for all its sessions: at most `ticketsMax`.
    package var tickets: Int
    /// Unanswered requests of napkind to the worker, this one included: at most
    /// `controlRequestsMax`.
    package var controlRequests: Int
    /// The connected fronts, then those that are away.
    package var fronts: [Front]
    /// The tools that trace the session, at most `tracersMax`; absent if there are none.
    package var tracers: [Tracer]?
    package var limits = Limits()

    package init(
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
