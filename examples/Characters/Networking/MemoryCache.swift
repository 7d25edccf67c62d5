// MemoryCache: the newest so many values, each with when it came.
//
// Layer      networking.
// Isolation  value; owned by one actor.
// Invariant  at most `capacity` entries; the one that was not used for longest goes first.

/// Values by their keys, bounded in their number.
package struct MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let value: Value
        /// When it arrived, by the clock of whoever put it in.
        package let arrival: Duration
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    /// From the one that was used longest ago to the newest.
    private var order: [Key] = []

    package init(capacity: Int) {
        precondition(capacity > 0, "a cache of nothing")
        self.capacity = capacity
    }

    package var keys: [Key] { order }

    /// What is there; that it was asked for makes it the newest.
    package mutating func entry(for key: Key) -> Entry? {
        guard let entry = entries[key] else { return nil }
        use(key)
        return entry
    }

    package mutating func put(_ value: Value, for key: Key, at arrival: Duration) {
        entries[key] = Entry(value: value, arrival: arrival)
        use(key)
        if order.count > capacity { entries[order.removeFirst()] = nil }
    }

    package mutating func remove(_ key: Key) {
        entries[key] = nil
        order.removeAll { $0 == key }
    }

    private mutating func use(_ key: Key) {
        order.removeAll { $0 == key }
        order.append(key)
    }
}
