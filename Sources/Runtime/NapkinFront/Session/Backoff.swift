// Backoff: how long a front waits before it tries again.

import NapkinProtocol

/// Delays of 0, 50, 200, then 1000 ms, each but the first prolonged by up to a half at random, so
/// that many fronts do not reconnect at the same time. Chosen: as long as a worker's restarts.
package struct Backoff: Sendable {
    /// How long a connection must last before the delays start over. Without it, a connection that
    /// ends at once would be retried forever without a delay. Chosen: the longest delay.
    private static let steadyAfter = Duration.seconds(1)
    private let steps: [Int]
    private var attempt = 0

    package init() { self.init(milliseconds: RestartPolicy.delays) }

    /// Creates other delays, for tests that lose thousands of connections. The last one repeats.
    package init(milliseconds steps: [Int]) {
        precondition(!steps.isEmpty, "a front needs to know how long it waits")
        self.steps = steps
    }

    /// Returns the delay before the next attempt.
    package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let base = steps[min(attempt, steps.count - 1)]
        attempt += 1
        guard base > 0 else { return .zero }
        return .milliseconds(base + Int.random(in: 0...(base / 2), using: &random))
    }

    /// A connection has ended without a word before the front was attached: its worker has died,
    /// and napkind knows when to start the next one. The longest delay is left out.
    mutating func attachFailed() { attempt = min(attempt, max(0, steps.count - 2)) }

    /// A connection has ended. The delays start over if it had been attached for long enough, or
    /// if it ended without a word: a broken line told nobody to stay away.
    mutating func connectionEnded(isSilent: Bool, attachedFor time: Duration?) {
        if isSilent || time.map({ $0 >= Self.steadyAfter }) == true { attempt = 0 }
    }
}
