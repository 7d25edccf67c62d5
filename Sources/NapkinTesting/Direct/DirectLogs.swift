// DirectLogs: what a front of this process has of the logs.
//
// Isolation  value; owned by a DirectFront.

import NapkinCore
import NapkinProtocol

/// The tails that a front keeps, and where those begin that it has nothing of.
struct DirectLogs {
    private struct Key: Hashable {
        var node: UInt32
        var method: MethodID
    }

    private var tails: [UInt32: NodeLogs] = [:]
    private var starts: [Key: UInt64] = [:]

    func tails(of node: UInt32) -> NodeLogs { tails[node, default: NodeLogs()] }

    /// The front is shown a node that was there before it.
    @MainActor
    mutating func joined(_ placed: Placed) {
        for (method, log) in placed.node.logs.entries {
            starts[Key(node: placed.id, method: method)] = log.start()
        }
    }

    /// Returns the number of the first item to show.
    func start(of log: LogWindow, _ node: UInt32, _ method: MethodID) -> UInt64 {
        let first = starts[Key(node: node, method: method)] ?? 0
        return log.start(
            from: tails[node]?[method]?.next ?? first, items: .max,
            bytes: Limits.logBacklogBytesMax)
    }

    mutating func received(
        _ items: LogItems, of node: UInt32, _ method: MethodID
    ) -> (new: LogItems, gap: LogGap?) {
        tails[node, default: NodeLogs()].received(items, of: method)
    }

    /// Forgets the nodes that are not shown any more.
    mutating func keep(where isShown: (UInt32) -> Bool) {
        tails = tails.filter { isShown($0.key) }
        starts = starts.filter { isShown($0.key.node) }
    }
}
