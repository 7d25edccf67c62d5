// LimitNotes: which limits were noted lately.
//
// Isolation  value. Time is a parameter.

/// When something was last noted, so that a front that tries again and again fills no log.
package struct LimitNotes {
    /// The time between two notes of a limit, in milliseconds. Chosen.
    private static let interval: UInt64 = 10_000

    private var next: [String: UInt64] = [:]

    package init() {}

    /// Returns whether to note that a limit was reached.
    package mutating func isDue(_ limit: String, at now: UInt64) -> Bool {
        guard now >= next[limit, default: 0] else { return false }
        next[limit] = now + Self.interval
        return true
    }
}
