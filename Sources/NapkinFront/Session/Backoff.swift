// Backoff: how long a front waits before it tries again.
//
// Layer      front.
// Isolation  value. Randomness is a parameter.

/// Delays of 0, 50, 200, then 1000 ms, each but the first with up to a half more at random, so that
/// many fronts do not come back in step. Chosen.
public struct Backoff: Sendable {
    private static let steps: [Int] = [0, 50, 200, 1000]
    private var attempt = 0

    public init() {}

    /// The delay before the next try.
    public mutating func next(
        using random: inout some RandomNumberGenerator
    ) -> Duration {
        let base = Self.steps[min(attempt, Self.steps.count - 1)]
        attempt += 1
        guard base > 0 else { return .zero }
        return .milliseconds(base + Int.random(in: 0...(base / 2), using: &random))
    }
}
