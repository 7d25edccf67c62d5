// RestartPolicy: decides whether and when a worker that died is restarted.
//
// Spec       Protocol/MANIFEST.md, section 3 (The worker)

import NapkinProtocol

/// Restarts after 0, 50, 200 and then 1000 ms plus a random part, as often as the limit says; then
/// a pause.
struct RestartPolicy: Hashable, Sendable {
    private static let delays: [Int] = [0, 50, 200, 1000]

    /// The reaction to a death.
    enum Decision: Hashable, Sendable {
        case restart(after: Duration)
        /// The worker died too often. A front that asks after the limit's seconds starts it again.
        case degrade
    }

    private let limit: RestartLimit
    private var crashes: [Duration] = []

    init(_ limit: RestartLimit = RestartLimit()) {
        self.limit = limit
    }

    private var window: Duration { .seconds(limit.seconds) }

    /// A worker died at `now`, a monotonic time; `jitter` is in 0..<1.
    mutating func workerDied(at now: Duration, jitter: Double) -> Decision {
        let window = window
        crashes.removeAll { now - $0 > window }
        crashes.append(now)
        guard crashes.count <= limit.times else { return .degrade }
        let delay = Self.delays[min(crashes.count - 1, Self.delays.count - 1)]
        return .restart(after: .milliseconds(delay + Int(Double(delay) / 2 * jitter)))
    }

    /// Returns whether a degraded app may be tried again.
    func mayTryAgain(at now: Duration) -> Bool {
        guard let last = crashes.last else { return true }
        return now - last > window
    }
}
