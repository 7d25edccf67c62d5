// MemoryCache: the most recently used values, with the times when they arrived.
//
// Layer      networking.
// Isolation  value; owned by one actor.
// Invariant  at most `capacity` entries; the least recently used one is removed first.

/// Values by their keys, limited in number.
package struct MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package struct Entry: Sendable {
        package let value: Value
        /// When it arrived, by the clock of the caller that added it.
        package let arrival: Duration
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    /// The keys from the least to the most recently used.
    private var order: [Key] = []

    package init(capacity: Int) {
        precondition(capacity > 0, "a cache of nothing")
        self.capacity = capacity
    }

    package var keys: [Key] { order }

    /// Returns the entry, which is then the most recently used one.
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
