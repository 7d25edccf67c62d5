// SeatLogs: where a front is in each log, and how it is given items.
//
// Isolation  @MainActor; SeatLogs is a value owned by one front's seat.
// Ownership  the items stay in their nodes, which keep a window of them.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
import NapkinCore
import NapkinProtocol

/// A connection's place in the logs.
struct SeatLogs {
    /// The number of the next item to send; 0 where none has been sent.
    private var next: [OutboundQueue.StateKey: UInt64] = [:]
    /// A log whose newest item is not to be sent yet.
    var held: OutboundQueue.StateKey?
    /// Items, and bytes of them, that have been appended since the queue was last looked at.
    private var items = 0
    private var bytes = 0

    /// Counts an item; returns whether so much waits that it is to be sent before the turn ends.
    mutating func grew(by bytes: Int) -> Bool {
        self.bytes += bytes
        items += 1
        return items >= LogLimits.least.items || self.bytes >= LogLimits.least.bytes
    }

    mutating func looked() { (items, bytes) = (0, 0) }

    subscript(_ key: OutboundQueue.StateKey) -> UInt64 {
        get { next[key, default: 0] }
        set { next[key] = newValue }
    }

    mutating func unmounted(where isGone: (UInt32) -> Bool) {
        if !next.isEmpty { next = next.filter { !isGone($0.key.node) } }
    }
}

extension FrontSeat {
    /// A log has grown. Its items wait in the node until the end of the turn, or until the front
    /// catches up; if it keeps up, they stay in order with everything else that is presented.
    func logGrew(_ key: OutboundQueue.StateKey, by bytes: Int) {
        guard let link else { return }
        if !session.shared.isEmpty { takeShared() }
        if !queue.isEmpty, !queue.endsWithLog {
            // What was presented before the newest item is sent before it.
            logs.held = key
            pump()
            logs.held = nil
        }
        queue.offerLog(key)
        if logs.grew(by: bytes) {
            logs.looked()
            pump()
        }
        link.requestFlush()
    }

    /// The front wants a log's items from this number on.
    func logJoined(_ key: OutboundQueue.StateKey, at number: UInt64) {
        logs[key] = number
        logGrew(key, by: 0)
    }

    /// Sends what a log has got since the front was last sent something of it. A front that is too
    /// far behind skips the oldest items, and sees so by the number of the first.
    func sendLog(_ key: OutboundQueue.StateKey, on link: Link) {
        let method = MethodID(rawValue: key.method)
        guard let node = session.node(key.node), let log = node.logs[method] else { return }
        var number = log.start(
            from: logs[key], items: .max, bytes: Limits.logBacklogBytesMax)
        let end = logs.held == key ? log.next - 1 : log.next
        while number < end {
            let run = log.run(from: number, bytesMax: Limits.logFrameBytes)
            let count = min(run, Int(end - number))
            send(log, from: number, count: count, of: node, key, on: link)
            number += UInt64(count)
        }
        logs[key] = number
    }

    private func send(
        _ log: LogWindow, from number: UInt64, count: Int, of node: FeatureNode,
        _ key: OutboundQueue.StateKey, on link: Link
    ) {
        let header = FrameHeader(
            .log, node: key.node, epoch: session.epoch, sequence: number, method: key.method)
        let keep = { [session] (frame: UnsafeRawBufferPointer) -> Void in
            session.observer?.logSent(frame, of: node, key.method, to: self)
        }
        do {
            try link.send(header, keep: keep) { (writer) throws(CBORError) in
                writer.writeArrayHeader(count + 1)
                try writer.write(log.first)
                log.withBytes(from: number, count: count) { writer.append($0) }
            }
        } catch {
            let method = MethodID(rawValue: key.method)
            Anomaly.report(.unencodable(feature: node.feature, method: method, error))
        }
    }
}
