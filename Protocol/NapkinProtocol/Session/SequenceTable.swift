// SequenceTable: values by ascending sequence numbers, for requests that are outstanding.
//
// Isolation  value; part of one state machine of a session's link.
// Invariant  numbers ascend; the entry at `head` is not a hole; among the older entries there are
//            at most as many holes as live entries, and `holesMax` more.

/// A map from sequence numbers to values, for answers that come nearly in order: adding and
/// removing then take a few comparisons and no hashing.
public struct SequenceTable<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline var sequence: UInt64
        @usableFromInline var value: Value?

        @inlinable
        init(_ sequence: UInt64, _ value: consuming Value?) {
            self.sequence = sequence
            self.value = value
        }
    }

    /// Holes that are tolerated before the entries are moved together. Chosen: with 64 requests
    /// outstanding, an entry is moved for every fifth that is added.
    @inlinable static var holesMax: Int { 256 }
    /// The same limit for a table without live entries, which may keep twice as many places.
    /// Chosen: many fronts are idle at once.
    @inlinable static var emptyHolesMax: Int { 64 }

    /// The newest entry. It is often the only one, and removed before the next is added; until then
    /// it is not in `older`.
    @usableFromInline var newest = Entry(0, nil)
    @usableFromInline var older: [Entry] = []
    @usableFromInline var head = 0
    @usableFromInline var liveOlder = 0

    @inlinable
    public init() {}

    @inlinable public var count: Int { newest.value == nil ? liveOlder : liveOlder + 1 }

    @inlinable public var isEmpty: Bool { count == 0 }

    /// The lowest number and its value.
    @inlinable public var first: (sequence: UInt64, value: Value)? { elements.first { _ in true } }

    /// All numbers and values, in ascending order.
    @inlinable public var elements: some Sequence<(sequence: UInt64, value: Value)> {
        (older[head...] + CollectionOfOne(newest)).lazy.compactMap { entry in
            entry.value.map { (sequence: entry.sequence, value: $0) }
        }
    }

    /// Calls `body` with each value, in the order of the numbers.
    func visit(_ body: (Value) -> Void) {
        // Does not use `elements`, which takes many times as long.
        var index = head
        while index < older.count {
            if let value = older[index].value { body(value) }
            index += 1
        }
        if let value = newest.value { body(value) }
    }

    /// Returns whether the table has a value with that number.
    public func contains(_ sequence: UInt64) -> Bool { value(sequence) != nil }

    /// Returns the value with that number, if there is one.
    public func value(_ sequence: UInt64) -> Value? {
        if newest.sequence == sequence { return newest.value }
        let index = firstIndex(from: sequence)
        guard index < older.count, older[index].sequence == sequence else { return nil }
        return older[index].value
    }

    /// Adds a value with a number greater than all before it.
    @inlinable
    public mutating func append(_ value: consuming Value, at sequence: UInt64) {
        if newest.value != nil { keepNewest() }
        precondition(
            liveOlder == 0 || older[older.count - 1].sequence < sequence, "numbers must ascend")
        newest = Entry(sequence, value)
    }

    @inlinable @inline(never)
    mutating func keepNewest() {
        older.append(Entry(newest.sequence, newest.value.take()))
        liveOlder += 1
    }

    /// Removes and returns the value with that number.
    @inlinable
    public mutating func remove(_ sequence: UInt64) -> Value? {
        newest.sequence == sequence ? newest.value.take() : removeOlder(sequence)
    }

    @inlinable @inline(never)
    mutating func removeOlder(_ sequence: UInt64) -> Value? {
        let index = firstIndex(from: sequence)
        guard index < older.count, older[index].sequence == sequence,
            let value = older[index].value.take()
        else { return nil }
        removedOlder(at: index)
        return value
    }

    /// Removes and returns the first value, if its number is at most `sequence`.
    @inlinable
    mutating func removeFirst(through sequence: UInt64) -> Value? {
        guard liveOlder > 0 else { return newest.sequence <= sequence ? newest.value.take() : nil }
        guard older[head].sequence <= sequence else { return nil }
        let value = older[head].value.take()
        removedOlder(at: head)
        return value
    }

    @inlinable @inline(__always)
    mutating func removedOlder(at index: Int) {
        liveOlder -= 1
        if liveOlder == 0 {
            head = older.count
        } else if index == head {
            while older[head].value == nil { head += 1 }
        }
        let most = liveOlder == 0 ? Self.emptyHolesMax : 2 * liveOlder + Self.holesMax
        if older.count > most { closeHoles() }
    }

    /// Removes and returns all values, in order.
    public mutating func removeAll() -> [Value] {
        defer { self = SequenceTable() }
        return elements.map(\.value)
    }

    /// Changes all values in place.
    @inlinable
    mutating func update(_ body: (inout Value) -> Void) {
        for index in older.indices { Self.update(&older[index].value, body) }
        Self.update(&newest.value, body)
    }

    @inlinable
    static func update(_ place: inout Value?, _ body: (inout Value) -> Void) {
        guard var value = place.take() else { return }
        body(&value)
        place = value
    }

    @inlinable
    mutating func closeHoles() {
        if liveOlder == 0 {
            older.removeAll(keepingCapacity: older.count <= 2 * Self.emptyHolesMax)
        } else if older.count - head == liveOlder {
            // Not `removeFirst(_:)`, which copies and destroys entries without knowing their type.
            for index in 0..<liveOlder { older.swapAt(index, head + index) }
            for _ in 0..<head { older.removeLast() }
        } else {
            older.removeAll { $0.value == nil }
        }
        head = 0
    }

    @inlinable
    func firstIndex(from sequence: UInt64) -> Int {
        if head < older.count, older[head].sequence == sequence { return head }
        var low = head
        var high = older.count
        while low < high {
            let middle = (low + high) / 2
            if older[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension SequenceTable: Sendable where Value: Sendable {}
extension SequenceTable.Entry: Sendable where Value: Sendable {}

extension SequenceTable {
    /// Hashes each number, and the part of its value that `combine` chooses.
    func hash(into hasher: inout Hasher, _ combine: (inout Hasher, Value) -> Void) {
        // Does not use `elements`: a search through all states of a session does little else than
        // hash.
        var index = head
        while index < older.count {
            if let value = older[index].value {
                hasher.combine(older[index].sequence)
                combine(&hasher, value)
            }
            index += 1
        }
        if let value = newest.value {
            hasher.combine(newest.sequence)
            combine(&hasher, value)
        }
    }
}

/// Two tables are equal if they hold the same numbers and values, however many holes they have.
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
        hash(into: &hasher) { hasher, value in hasher.combine(value) }
    }
}
