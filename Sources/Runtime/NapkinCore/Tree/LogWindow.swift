// LogWindow: the newest items of a log, encoded one after another.
//
// Layer      core. No sockets, clocks or tasks here.
// Isolation  value; owned by a node, in the worker or in a front.
// Invariant  at least one item once one was appended; numbers are consecutive; after a trim, within
//            the limits unless the newest item is longer. Forgotten bytes are at most as many
//            as those kept, and a page.

package struct LogWindow: Sendable {
    package let limits: LogLimits
    /// The number with which the log began, or last began anew.
    package private(set) var origin: UInt64 = 0
    /// The number of the oldest item kept.
    package private(set) var first: UInt64 = 0
    /// The number of the oldest item that the worker keeps, as last reported to a front.
    package private(set) var oldest: UInt64 = 0
    /// The items, after `dead` bytes of forgotten ones.
    private var bytes: [UInt8] = []
    private var dead = 0
    /// Where each item ends, counted from the log's first byte, after `gone` forgotten ones.
    private var ends: [Int] = []
    private var gone = 0
    /// Where `bytes` begins, counted in the same way.
    private var base = 0

    package init(_ limits: LogLimits) { self.limits = limits }

    /// Creates a window whose first item will have this number.
    init(_ limits: LogLimits, first: UInt64, origin: UInt64 = 0) {
        self.limits = limits
        self.first = first
        self.origin = origin
    }

    /// The first number of the next block. A log whose exact place is not recorded begins anew with
    /// this number in the next worker: a block is larger than any log.
    package var nextBlock: UInt64 { (next >> 32 &+ 1) << 32 }

    /// Items kept.
    package var count: Int { ends.count - gone }
    /// The number of the next item.
    package var next: UInt64 { first + UInt64(count) }
    var liveBytes: Int { bytes.count - dead }

    mutating func append(_ item: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: item)
        ends.append(base + bytes.count)
    }

    /// Forgets the newest items, from this number on.
    fileprivate mutating func withdraw(from number: UInt64) {
        guard number < next else { return }
        let kept = max(number, first)
        bytes.removeLast(base + bytes.count - offset(kept))
        ends.removeLast(Int(next - kept))
    }

    /// Drops the items beyond the limits, or beyond a multiple of the limits.
    mutating func trim(toTimes times: Int = 1) {
        while count > limits.items * times || liveBytes > limits.bytes * times && count > 1 {
            forgetOldest()
        }
        if dead > 4096, dead * 2 > bytes.count { compact() }
    }

    private mutating func forgetOldest() {
        dead = ends[gone] - base
        gone += 1
        first += 1
    }

    private mutating func compact() {
        bytes.removeFirst(dead)
        base += dead
        dead = 0
        ends.removeFirst(gone)
        gone = 0
    }

    /// Forgets all items; the next one has this number.
    fileprivate mutating func skip(to number: UInt64) {
        self = LogWindow(limits, first: number, origin: origin)
    }

    /// Forgets all items: the log begins anew with this number.
    fileprivate mutating func begin(at number: UInt64) {
        self = LogWindow(limits, first: number, origin: number)
    }

    fileprivate mutating func dropped(before oldest: UInt64) { self.oldest = oldest }

    /// Returns where the newest items within a limit begin, among the items from `number` on and
    /// before `end`, which is in the window or is the next. A single item may have more bytes.
    package func start(
        from number: UInt64 = 0, before end: UInt64? = nil, items: Int = LogLimits.tail.items,
        bytes: Int = LogLimits.tail.bytes
    ) -> UInt64 {
        let end = end ?? next
        var start = max(first, min(number, end))
        if end - start > UInt64(max(0, items)) { start = end - UInt64(max(0, items)) }
        let lowest = offset(end) - bytes
        guard start < end, offset(start) < lowest else { return start }
        var (low, high) = (start, end - 1)
        // The least number whose item begins at `lowest` or later.
        while low < high {
            let middle = low + (high - low) / 2
            if offset(middle) >= lowest { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Counts the items from `number` on that fit into these bytes; a single one may have more.
    package func run(from number: UInt64, bytesMax: Int) -> Int {
        guard number >= first, number < next else { return 0 }
        let highest = offset(number) + bytesMax
        var (low, high) = (number + 1, next)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if offset(middle) <= highest { low = middle } else { high = middle - 1 }
        }
        return Int(low - number)
    }

    /// Calls `body` with the encoded items from `number` on, one after another.
    package func withBytes<R, E: Error>(
        from number: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let range = offset(number) - base..<offset(number + UInt64(count)) - base
        return try bytes.withUnsafeBufferPointer { (all) throws(E) in
            try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[range])))
        }
    }

    /// Calls `body` with the items from `number` on, borrowed.
    package func withItems(from number: UInt64, _ body: (LogItems) -> Void) {
        bytes.withUnsafeBytes { all in
            var items: [UnsafeRawBufferPointer] = []
            for item in max(first, number)..<max(first, number, next) {
                let range = offset(item) - base..<offset(item + 1) - base
                items.append(UnsafeRawBufferPointer(rebasing: all[range]))
            }
            body(LogItems(first: max(first, number), oldest: first, items[...]))
        }
    }

    /// Returns where the item with this number begins; the number is in the window or is the next.
    private func offset(_ number: UInt64) -> Int {
        number == first ? base + dead : ends[gone + Int(number - first) - 1]
    }
}

/// The logs of one node, in the worker or in a front.
package struct NodeLogs: Sendable {
    /// The logs, in the order in which each was first appended to.
    package private(set) var entries: [(method: MethodID, window: LogWindow)] = []
    /// The next numbers of logs that began in a former worker.
    private var starts: [MethodID: UInt64] = [:]

    package init() {}

    /// Creates logs that continue with these numbers.
    package init(startingAt starts: [MethodID: UInt64]) { self.starts = starts }

    package subscript(_ method: MethodID) -> LogWindow? {
        entries.first { $0.method == method }?.window
    }

    /// Appends an item, in the worker.
    mutating func append(
        _ item: UnsafeRawBufferPointer, to method: MethodID, keeping limits: LogLimits,
        beginsAnew: Bool = false
    ) {
        let index = index(of: method, limits)
        if beginsAnew { entries[index].window.begin(at: entries[index].window.next) }
        entries[index].window.append(item)
    }

    /// Drops the items appended since these numbers were the next ones. Provisional items stay.
    mutating func withdraw(to marks: [(method: MethodID, next: UInt64)]) {
        for index in entries.indices where !entries[index].window.limits.isProvisional {
            let mark = marks.first { $0.method == entries[index].method }
            entries[index].window.withdraw(from: mark?.next ?? 0)
        }
    }

    /// Drops the items beyond a log's limits, once the fronts have received them. While the newest
    /// items may be rolled back, the oldest are kept: up to twice the limits.
    mutating func trim(_ method: MethodID, toTimes times: Int = 1) {
        for index in entries.indices where entries[index].method == method {
            entries[index].window.trim(toTimes: times)
        }
    }

    private mutating func index(of method: MethodID, _ limits: LogLimits) -> Int {
        if let index = entries.firstIndex(where: { $0.method == method }) { return index }
        let start = starts[method] ?? 0
        // A start at the beginning of a block: the former worker did not record the exact place.
        let origin = UInt32(truncatingIfNeeded: start) == 0 ? start : 0
        entries.append((method, LogWindow(limits, first: start, origin: origin)))
        return entries.count - 1
    }

    /// Keeps the tail of the items that have arrived in a front. Returns the new items, and the
    /// missing items before them.
    package mutating func received(
        _ items: LogItems, of method: MethodID
    ) -> (new: LogItems, gap: LogGap?) {
        let index = index(of: method, .tail)
        if items.beginsAnew, entries[index].window.origin < items.oldest {
            entries[index].window.begin(at: items.oldest)
        }
        let expected = entries[index].window.next
        let new = items.dropping(below: expected)
        var gap: LogGap?
        if new.first > expected {
            gap = LogGap(log: method, items: expected..<new.first, oldest: items.oldest)
            entries[index].window.skip(to: new.first)
        }
        entries[index].window.dropped(before: items.oldest)
        for item in new.encoded { entries[index].window.append(item) }
        entries[index].window.trim()
        return (new, gap)
    }
}
