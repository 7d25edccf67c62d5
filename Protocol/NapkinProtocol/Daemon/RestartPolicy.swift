// RestartPolicy: decides whether and when a process that died is restarted.
//
// Spec       Protocol/MANIFEST.md, section 3 (The worker)

/// Restarts after 0, 50, 200 and then 1000 ms plus a random part, as often as the limit says; then
/// a pause. Two deaths by the same event, launch or task count as none, once: it is set aside.
package struct RestartPolicy: Hashable, Sendable {
    private struct Crash: Hashable {
        let at: Duration
        let input: FlightInput?
        /// Whether its input is set aside: it does not count.
        var isOver = false
    }

    private static let delays: [Int] = [0, 50, 200, 1000]

    /// The reaction to a death.
    package enum Decision: Hashable, Sendable {
        case restart(after: Duration)
        /// The worker died too often. A front that asks after the limit's seconds starts it again.
        case degrade
    }

    private let limit: RestartLimit
    private var crashes: [Crash] = []

    package init(_ limit: RestartLimit = RestartLimit()) { self.limit = limit }

    private var window: Duration { .seconds(limit.seconds) }

    /// A worker died at `now`, a monotonic time, while it ran `input`; `jitter` is in 0..<1.
    package mutating func workerDied(
        at now: Duration, running input: FlightInput? = nil, jitter: Double
    ) -> Decision {
        let window = window
        crashes.removeAll { now - $0.at > window }
        if let input, !input.kind.isCounted,
            let first = crashes.firstIndex(where: { $0.input?.isEqual(to: input) == true }),
            !crashes[first].isOver
        {
            crashes[first].isOver = true
            return .restart(after: .zero)
        }
        crashes.append(Crash(at: now, input: input))
        let count = crashes.count { !$0.isOver }
        guard count <= limit.times else { return .degrade }
        let delay = Self.delays[min(count - 1, Self.delays.count - 1)]
        return .restart(after: .milliseconds(delay + Int(Double(delay) / 2 * jitter)))
    }

    /// Returns whether a degraded app may be tried again.
    package func mayTryAgain(at now: Duration) -> Bool {
        guard let last = crashes.last else { return true }
        return now - last.at > window
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
