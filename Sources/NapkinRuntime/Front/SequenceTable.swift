// SequenceTable: what is outstanding, by ascending sequence numbers.
//
// Layer      runtime.
// Isolation  none of its own; a part of one SessionClient (loop thread).
// Invariant  numbers ascend; the entries at `head` and at the end are not holes; there are at most
//            as many holes as live entries, and `holesMax` more.

/// A map from sequence numbers to values, made for answers that come nearly in order: then both
/// adding and removing cost a few comparisons, and no hash.
struct SequenceTable<Value> {
    /// Holes tolerated before the entries are moved together. Chosen.
    private static var holesMax: Int { 64 }

    private var entries: [(sequence: UInt64, value: Value?)] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a value; its number is greater than all before it.
    mutating func append(_ value: Value, at sequence: UInt64) {
        precondition(entries.last.map { $0.sequence < sequence } ?? true, "numbers must ascend")
        entries.append((sequence, value))
        count += 1
    }

    /// Removes and returns the value with that number.
    mutating func remove(_ sequence: UInt64) -> Value? {
        let index = firstIndex(from: sequence)
        guard index < entries.count, entries[index].sequence == sequence,
            let value = entries[index].value.take()
        else { return nil }
        count -= 1
        closeHoles(at: index)
        return value
    }

    /// Removes and returns everything, in order.
    mutating func removeAll() -> [Value] {
        defer { self = SequenceTable() }
        return entries[head...].compactMap(\.value)
    }

    private mutating func closeHoles(at index: Int) {
        if index == entries.count - 1 {
            while let last = entries.last, last.value == nil { entries.removeLast() }
            head = min(head, entries.count)
        } else if index == head {
            while entries[head].value == nil { head += 1 }
        }
        if entries.count > 2 * count + Self.holesMax {
            entries = entries.filter { $0.value != nil }
            head = 0
        }
    }

    private func firstIndex(from sequence: UInt64) -> Int {
        if head < entries.count, entries[head].sequence == sequence { return head }
        var low = head
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
