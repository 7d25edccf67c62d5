// RestartPolicy: decides whether and when a process that died is restarted.
//
// Spec       Protocol/MANIFEST.md, section 3 (The worker)

/// Restarts after 0, 50, 200 and then 1000 ms plus a random part, as often as the limit says; then
/// a pause.
package struct RestartPolicy: Hashable, Sendable {
    /// The milliseconds before each restart; the last one repeats. Chosen: nobody sees the first
    /// ones, and a program that ends at once costs little.
    package static let delays = [0, 50, 200, 1000]

    /// The reaction to a death.
    package enum Decision: Hashable, Sendable {
        case restart(after: Duration)
        /// The worker died too often. A front that asks after the limit's seconds starts it again.
        case degrade
    }

    /// How much a death counts.
    package enum Weight: Hashable, Sendable {
        case one
        /// It does not count, unless the limit is 0: the quarantine ends such deaths.
        case zero
        /// It takes the newest counted death back; it counts as one if none is in the window.
        case minusOne
    }

    private let limit: RestartLimit
    /// The times of the deaths that count.
    private var deaths: [Duration] = []

    package init(_ limit: RestartLimit = RestartLimit()) { self.limit = limit }

    private var window: Duration { .seconds(limit.seconds) }

    /// A worker died at `now`, a monotonic time.
    ///
    /// - Parameters:
    ///   - weight: the quarantine's judgement.
    ///   - jitter: in 0..<1.
    package mutating func workerDied(
        at now: Duration, weight: Weight = .one, jitter: Double
    ) -> Decision {
        let window = window
        deaths.removeAll { now - $0 > window }
        switch weight {
        case .zero where limit.times > 0: return .restart(after: .zero)
        case .minusOne where deaths.popLast() != nil: return .restart(after: .zero)
        case .one, .zero, .minusOne: deaths.append(now)
        }
        guard deaths.count <= limit.times else { return .degrade }
        let delay = Self.delays[min(deaths.count, Self.delays.count) - 1]
        return .restart(after: .milliseconds(delay + Int(Double(delay) / 2 * jitter)))
    }

    /// Returns whether a degraded app may be tried again.
    package func mayTryAgain(at now: Duration) -> Bool {
        guard let last = deaths.last else { return true }
        return now - last > window
    }
}

/// How often a worker that dies is restarted, from the app's manifest.
public struct RestartLimit: Hashable, Encodable, Sendable {
    /// The valid ranges. Chosen: a worker that dies a hundred times serves nobody, and deaths more
    /// than a day ago say nothing about the next start.
    static let times = 0...100
    static let seconds = 1...86_400

    /// Restarts in `seconds` before the app counts as degraded. The defaults are chosen.
    public var times = 3
    public var seconds = 10

    public init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable { case times, seconds }

    static let keys = CodingKeys.allCases.map(\.rawValue)

    /// Reads the object `restart`.
    init(_ object: ManifestObject) throws(AppManifestError) {
        times = try object.number("times", "restarts", in: Self.times) ?? times
        seconds = try object.number("seconds", "seconds", in: Self.seconds) ?? seconds
    }
}
