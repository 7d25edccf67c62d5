// TreeDrawing: a session's tree, its queues with their limits, and its inventory, as lines.

import NapkinProtocol
import NapkinTransport

enum TreeDrawing {
    /// Returns the session's name and, below it, its features.
    static func lines(of tree: SessionTree) -> [String] {
        let heading =
            tree.session == tree.app ? tree.session : "\(tree.session) (\(tree.app))"
        guard let root = tree.root else {
            return ["\(heading): \(tree.inventory == nil ? "no tree" : "has ended")"]
        }
        return ["\(heading) · epoch \(tree.epoch.digits(8, radix: 16))"]
            + lines(of: root, first: "└ ", others: "  ")
            + (tree.workflows ?? []).map(line) + (tree.programs ?? []).map(line)
    }

    /// Returns `▸ build (process 12): make -j4`.
    private static func line(of program: HeldInfo) -> String {
        let state = program.pid.map { "process \($0)" } ?? program.state.rawValue
        return "▸ \(program.key) (\(state)): \(program.command)"
    }

    /// Returns `⇢ ribhouse://pit-board, opened by front 2 · 1/2 wait for login: running`.
    private static func line(of workflow: WorkflowInfo) -> String {
        let steps = workflow.steps.map(LinkPrinter.text)
        return (["⇢ \(workflow.url), opened by front \(workflow.front)"] + steps)
            .joined(separator: " · ")
    }

    private static func lines(of node: TreeNode, first: String, others: String) -> [String] {
        var lines = [first + text(of: node)]
        for (index, child) in node.children.enumerated() {
            let isLast = index == node.children.count - 1
            lines += self.lines(
                of: child, first: others + (isLast ? "└ " : "├ "),
                others: others + (isLast ? "  " : "│ "))
        }
        return lines
    }

    /// Returns `pitBoard: rib-house.pit-board #5 · 2 states`.
    private static func text(of node: TreeNode) -> String {
        var parts = [node.slot.isEmpty ? node.feature : "\(node.slot): \(node.feature)"]
        parts[0] += node.node.map { " #\($0)" } ?? " (headless)"
        if let front = node.front { parts.append("for front \(front)") }
        if !node.isActive { parts.append("inactive") }
        if node.states > 0 { parts.append(node.states.counted("state")) }
        if let logs = node.logs { parts.append(logs.counted("log")) }
        if node.tasks > 0 { parts.append(node.tasks.counted("task")) }
        if node.calls > 0 { parts.append(node.calls.counted("call")) }
        return parts.joined(separator: " · ")
    }
}

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

enum InventoryDrawing {
    /// Returns a table of the counts and a line for each owner of objects left behind.
    static func lines(of inventory: SessionInventory?) -> [String] {
        guard let inventory else { return ["  no inventory yet: the tree is being built"] }
        var table = TextTable("INVENTORY", "CREATED", "RELEASED", "IN USE", "LEFT")
        for count in inventory.counts {
            let inUse = count.created - count.released - count.left
            table.add(
                count.kind, "\(count.created)", "\(count.released)", "\(inUse)", "\(count.left)")
        }
        return (table.lines + remnants(of: inventory)).map { "  " + $0 }
    }

    private static func remnants(of inventory: SessionInventory) -> [String] {
        let left = inventory.counts.reduce(0) { $0 + $1.left }
        guard left > 0 else { return ["nothing is left of what has been detached"] }
        let named = inventory.remnants.reduce(0) { $0 + $1.count }
        let lines = inventory.remnants.map { remnant in
            let times = remnant.count == 1 ? "" : " (\(remnant.count) times)"
            return "left: \(remnant.owner): \(remnant.what)\(times)"
        }
        return named < left ? lines + ["left: \(left - named) more"] : lines
    }
}
