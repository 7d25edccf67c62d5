// QueueDrawing: a session's queues with their limits, as lines.

import NapkinProtocol

enum QueueDrawing {
    /// Returns one line for the session and one per front, with each number beside its limit, as in
    /// the specification's table of limits.
    static func lines(of queues: SessionQueues?) -> [String] {
        guard let queues else { return [] }
        return [line(of: queues)] + queues.fronts.map { line(of: $0, queues.limits) }
            + (queues.tracers ?? []).map { line(of: $0, queues.limits) }
    }

    private static func line(of tracer: SessionQueues.Tracer, _ limits: SessionQueues.Limits)
        -> String
    {
        joined(
            "tracer \(tracer.tracer)",
            [
                used("messages", tracer.messages, limits.traceMessagesMax),
                sized("values", tracer.bytes, limits.traceBytesMax), "lost \(tracer.lost)",
            ])
    }

    private static func line(of queues: SessionQueues) -> String {
        let limits = queues.limits
        return joined(
            "queues",
            [
                "asks \(queues.asks)",
                used("away", queues.departedFronts, limits.departedFrontsMax),
                "unseen effects \(queues.unseenEffects)",
                used("tickets", queues.tickets, limits.ticketsMax),
                used("control requests", queues.controlRequests, limits.controlRequestsMax),
            ])
    }

    private static func line(of front: SessionQueues.Front, _ limits: SessionQueues.Limits)
        -> String
    {
        joined(
            "front \(front.front)\(front.isAway ? " (away)" : "")",
            [
                used("events", front.events, limits.eventWindow),
                used("effects", front.effects, limits.effectQueueMax),
                "states \(front.states)",
                sized("ordered", front.orderedBytes, limits.orderedBacklogBytesMax),
                sized("socket", front.socketBytes, limits.slowFrontBytes),
                used("answers", front.answers, limits.answersKeptMax),
                sized("answers", front.answerBytes, limits.answersKeptBytesMax),
                used("workflows", front.workflows, limits.workflowsMax),
                "merged \(front.mergedStates)", "dropped \(front.droppedEffects)",
                "refused \(front.refusedEvents)",
            ])
    }

    private static func joined(_ heading: String, _ parts: [String]) -> String {
        "  \(heading): " + parts.joined(separator: " · ")
    }

    private static func used(_ what: String, _ count: Int, _ limit: Int) -> String {
        "\(what) \(count)/\(limit)"
    }

    private static func sized(_ what: String, _ count: Int, _ limit: Int) -> String {
        "\(what) \(Quantity.bytes(count))/\(Quantity.bytes(limit))"
    }
}
