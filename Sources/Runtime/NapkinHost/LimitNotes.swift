// LimitNotes: remembers which limits were logged lately.
//
// Isolation  value. Time is a parameter.

/// The times of recent notes, so that a front that keeps trying does not fill a log.
package struct LimitNotes {
    /// The time between two notes of the same limit, in milliseconds. Chosen: a short log.
    private static let interval: UInt64 = 10_000

    private var next: [String: UInt64] = [:]

    package init() {}

    /// Returns whether to log that a limit was reached.
    package mutating func isDue(_ limit: String, at now: UInt64) -> Bool {
        guard now >= next[limit, default: 0] else { return false }
        next[limit] = now + Self.interval
        return true
    }
}
