// RestartPolicy: when a worker that died is started again.
//
// Layer      sans-I/O core. Time and randomness are parameters.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 12 (Limits)

/// At most 3 restarts in 10 s, after 0, 50 and 200 ms and a little at random; then a pause.
public struct RestartPolicy: Hashable, Sendable {
    /// Restarts within `window` after which the app counts as degraded. Chosen.
    public static let restartsMax = 3
    public static let window = Duration.seconds(10)
    private static let delays: [Int] = [0, 50, 200, 1000]

    /// What to do about a death.
    public enum Decision: Hashable, Sendable {
        case restart(after: Duration)
        /// Died too often; a front that asks after `window` starts it anew.
        case degrade
    }

    private var crashes: [Duration] = []

    public init() {}

    /// A worker died at `now`, a monotonic time; `jitter` is in 0..<1.
    public mutating func workerDied(at now: Duration, jitter: Double) -> Decision {
        crashes.removeAll { now - $0 > Self.window }
        crashes.append(now)
        guard crashes.count <= Self.restartsMax else { return .degrade }
        let delay = Self.delays[min(crashes.count - 1, Self.delays.count - 1)]
        return .restart(after: .milliseconds(delay + Int(Double(delay) / 2 * jitter)))
    }

    /// Whether a degraded app may be tried again.
    public func mayTryAgain(at now: Duration) -> Bool {
        guard let last = crashes.last else { return true }
        return now - last > Self.window
    }
}
