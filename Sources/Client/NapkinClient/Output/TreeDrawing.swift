// TreeDrawing: a session's tree as lines.

import NapkinProtocol

enum TreeDrawing {
    /// Returns the session's name and, below it, its features.
    static func lines(of tree: SessionTree) -> [String] {
        let heading =
            tree.session == tree.app ? tree.session : "\(tree.session) (\(tree.app))"
        guard let root = tree.root else {
            return ["\(heading): \(tree.inventory == nil ? "no tree" : "has ended")"]
        }
        return ["\(heading) · epoch \(Quantity.digits(tree.epoch, 8, radix: 16))"]
            + lines(of: root, first: "└ ", others: "  ")
            + (tree.workflows ?? []).map(line)
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
        if node.states > 0 { parts.append(counted(node.states, "state")) }
        if let logs = node.logs { parts.append(counted(logs, "log")) }
        if node.tasks > 0 { parts.append(counted(node.tasks, "task")) }
        if node.calls > 0 { parts.append(counted(node.calls, "call")) }
        return parts.joined(separator: " · ")
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
