// Front+Logs: delivers each log item to the view and the surface once, across reconnects.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

public import NapkinCore
package import NapkinRuntime

extension Front {
    package func session(
        _ session: FrontSession, _ items: LogItems, of id: UInt32, _ method: MethodID
    ) {
        guard let node = tree.node(id) else { return }
        let (new, gap) = node.logs.received(items, of: method)
        guard gap != nil || new.count > 0 else { return }
        presented = .items(new, method, node, after: gap)
        guard let view = node.view, let call = node.presentCall else { return }
        view.show(new, of: method, after: gap, call)
    }
}

extension MountedView {
    /// Gives a new view the log items that the front already has.
    func show(_ logs: NodeLogs, _ call: IncomingCall) {
        for (method, log) in logs.entries {
            let before = LogGap(log: method, items: 0..<log.first, oldest: log.oldest)
            log.withItems(from: log.first) {
                show($0, of: method, after: log.first > 0 ? before : nil, call)
            }
        }
    }

    fileprivate func show(
        _ items: LogItems, of method: MethodID, after gap: LogGap?, _ call: IncomingCall
    ) {
        if let gap { follower?.skipped(gap) }
        for item in items.encoded { receiver.receive(method, item, call) }
    }
}

extension ViewContext {
    /// Reads the newest items of a gap: at most `count`, and at most as many as an attaching front
    /// receives.
    ///
    /// ```swift
    /// let (earlier, rest) = try await context.items(in: gap, last: 100)
    /// for case .output(let line) in earlier { … }
    /// ```
    ///
    /// Returns the items in order and the gap that remains before them, `nil` if there is none. The
    /// list is empty if the worker no longer keeps any items of the gap. Throws the faults of any
    /// event; a read-only front may read.
    public func items(
        in gap: LogGap, last count: Int = LogLimits.tail.items
    ) async throws(RemoteFault) -> (items: [F.Presenting.Message], before: LogGap?) {
        try await port.items(in: gap, last: count, as: F.Presenting.Message.self)
    }
}
