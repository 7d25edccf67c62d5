// SequenceTable: what is outstanding, by ascending sequence numbers.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  none of its own; a part of one machine of a session's link.
// Invariant  numbers ascend; the entries at `head` and at the end are not holes; there are at most
//            as many holes as live entries, and `holesMax` more.

/// A map from sequence numbers to values, made for answers that come nearly in order: then both
/// adding and removing cost a few comparisons, and no hash.
public struct SequenceTable<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline var sequence: UInt64
        @usableFromInline var value: Value?

        @inlinable
        init(_ sequence: UInt64, _ value: Value?) {
            self.sequence = sequence
            self.value = value
        }
    }

    /// Holes tolerated before the entries are moved together. Chosen.
    @inlinable static var holesMax: Int { 64 }

    @usableFromInline var entries: [Entry] = []
    @usableFromInline var head = 0
    @usableFromInline var live = 0
    @inlinable public var count: Int { live }

    @inlinable
    public init() {}

    @inlinable public var isEmpty: Bool { head == entries.count }

    /// The lowest number, and what it stands for.
    public var first: (sequence: UInt64, value: Value)? { elements.first { _ in true } }

    /// Everything, in ascending order.
    public var elements: some Sequence<(sequence: UInt64, value: Value)> {
        entries[head...].lazy.compactMap { entry in
            entry.value.map { (sequence: entry.sequence, value: $0) }
        }
    }

    /// Whether there is a value with that number.
    public func contains(_ sequence: UInt64) -> Bool {
        let index = firstIndex(from: sequence)
        return index < entries.count && entries[index].sequence == sequence
            && entries[index].value != nil
    }

    /// Adds a value; its number is greater than all before it.
    @inlinable
    public mutating func append(_ value: Value, at sequence: UInt64) {
        precondition(
            isEmpty || entries[entries.count - 1].sequence < sequence,
            "numbers must ascend")
        entries.append(Entry(sequence, value))
        live += 1
    }

    /// Removes and returns the value with that number.
    @inlinable
    public mutating func remove(_ sequence: UInt64) -> Value? {
        let index = firstIndex(from: sequence)
        guard index < entries.count, entries[index].sequence == sequence,
            let value = entries[index].value.take()
        else { return nil }
        live -= 1
        closeHoles(at: index)
        return value
    }

    /// Removes and returns everything, in order.
    public mutating func removeAll() -> [Value] {
        defer { self = SequenceTable() }
        return entries[head...].compactMap(\.value)
    }

    /// Changes every value in its place.
    mutating func update(_ body: (inout Value) -> Void) {
        for index in entries.indices where entries[index].value != nil {
            if var value = entries[index].value.take() {
                body(&value)
                entries[index].value = value
            }
        }
    }

    @inlinable
    mutating func closeHoles(at index: Int) {
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

    @inlinable
    func firstIndex(from sequence: UInt64) -> Int {
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

extension SequenceTable: Sendable where Value: Sendable {}
extension SequenceTable.Entry: Sendable where Value: Sendable {}

/// Two tables are the same when they hold the same; how many holes each has does not matter.
extension SequenceTable: Equatable where Value: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.count == right.count
            && zip(left.elements, right.elements).allSatisfy {
                $0.sequence == $1.sequence && $0.value == $1.value
            }
    }
}

extension SequenceTable: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        var index = head
        while index < entries.count {
            if let value = entries[index].value {
                hasher.combine(entries[index].sequence)
                hasher.combine(value)
            }
            index += 1
        }
    }
}
