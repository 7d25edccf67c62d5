// MemoryCache: the most recently used values, with the times when they came.
//
// Isolation  actor (default). No method suspends between looking and writing.
// Invariant  at most `capacity` entries; the least recently used one is removed first. A value is
//            never replaced by one that came earlier.

/// A value of a server, and when it came, by the clock of the caller that has asked.
package nonisolated struct Received<Value: Sendable>: Sendable {
    package let value: Value
    package let time: Duration

    package init(_ value: Value, at time: Duration) {
        self.value = value
        self.time = time
    }
}

/// Values by their keys, limited in number.
package actor MemoryCache<Key: Hashable & Sendable, Value: Sendable> {
    private let capacity: Int
    private var entries: [Key: Received<Value>] = [:]
    /// The keys from the least to the most recently used.
    private var order: [Key] = []

    package init(capacity: Int) {
        precondition(capacity > 0, "a cache of nothing")
        self.capacity = capacity
    }

    package var keys: [Key] { order }

    /// Returns the value, which is then the most recently used one.
    package func value(for key: Key) -> Received<Value>? {
        guard let entry = entries[key] else { return nil }
        use(key)
        return entry
    }

    /// Keeps a value, unless the cache has one that came later: two answers may overtake each other
    /// on their way here.
    package func put(_ entry: Received<Value>, for key: Key) {
        if let known = entries[key], known.time > entry.time { return }
        entries[key] = entry
        use(key)
        if order.count > capacity { entries[order.removeFirst()] = nil }
    }

    package func remove(_ key: Key) {
        entries[key] = nil
        order.removeAll { $0 == key }
    }

    private func use(_ key: Key) {
        order.removeAll { $0 == key }
        order.append(key)
    }
}
