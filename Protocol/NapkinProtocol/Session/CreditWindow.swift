// CreditWindow: how many events a front may have outstanding.
//
// Layer      sans-I/O core.
// Isolation  none of its own; a value owned by one link.
// Invariant  0 <= used <= limit
// Spec       Protocol/SPEC.md, section 8 (Flow control)

/// Counts outstanding events against a limit. The sender waits; the receiver refuses.
public struct CreditWindow: Equatable, Sendable {
    public private(set) var limit: Int
    public private(set) var used = 0

    public init(limit: Int = Limits.eventWindow) {
        self.limit = max(1, limit)
    }

    /// Takes one credit; false when none is left.
    public mutating func take() -> Bool {
        guard used < limit else { return false }
        used += 1
        return true
    }

    /// Gives one back: its event has been answered.
    public mutating func give() {
        used = max(0, used - 1)
    }

    /// A new connection: nothing is outstanding.
    public mutating func reset(limit: Int) {
        self.limit = max(1, limit)
        used = 0
    }
}
