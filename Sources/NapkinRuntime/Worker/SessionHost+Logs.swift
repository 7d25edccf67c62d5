// SessionHost+Logs: which items each front is given, and when.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

public import NapkinCore
import NapkinProtocol

extension SessionHost {
    public func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {
        guard mounted.node(node.id) != nil else { return }
        observer?.logGrew(node, method)
        let key = OutboundQueue.StateKey(node: node.id, method: method.rawValue)
        for front in fronts(showing: node.front) { front.logGrew(key, by: bytes) }
    }

    /// Gives a front that has just been sent the whole tree what it wants of the logs: the tails,
    /// or what it has missed since it was attached to the same tree.
    func showLogs(to front: FrontSeat, _ attach: Attach) {
        var known: [OutboundQueue.StateKey: UInt64] = [:]
        if attach.previousEpoch == epoch {
            for log in (attach.logs ?? []).prefix(Limits.logPositionsMax) {
                known[OutboundQueue.StateKey(node: log.node, method: log.method)] = log.next
            }
        }
        for entry in mounted.shown(to: front.audience) where entry.node.id == entry.id {
            for (method, log) in entry.node.logs.entries {
                let key = OutboundQueue.StateKey(node: entry.id, method: method.rawValue)
                front.logJoined(key, at: min(known[key] ?? log.start(), log.next))
            }
        }
    }

    /// Gives the fronts what nodes appended before they were mounted.
    func showLogs(mountedIn operations: [StageOperation]) {
        for case .mount(let node) in operations where node.isMounted {
            for (method, _) in node.logs.entries { logGrew(of: node, method, by: 0) }
        }
    }
}
