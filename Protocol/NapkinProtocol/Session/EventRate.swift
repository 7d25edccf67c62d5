// EventRate: limits how many events a front may send in a second.
//
// Isolation  value; owned by one front's seat, over all of its connections.
// Spec       Protocol/SPEC.md, section 8 (Flow control)

/// Admits `most` events in a second, and as many at once after a pause.
public struct EventRate: Hashable, Sendable {
    /// Events in any second.
    public let most: Int
    /// The events admitted at once, in thousandths of an event.
    private var allowance: Int
    /// When `allowance` was last computed, in milliseconds.
    private var reckoned: UInt64 = 0

    public init(most: Int) {
        self.most = most
        allowance = most * 1000
    }

    /// Returns whether an event may run at `now`, in milliseconds.
    public mutating func takes(at now: UInt64) -> Bool {
        let passed = Int(min(1000, now - min(now, reckoned)))
        allowance = min(most * 1000, allowance + passed * most)
        reckoned = now
        guard allowance >= 1000 else { return false }
        allowance -= 1000
        return true
    }
}
