// RestartLimit: how often a worker that died is restarted.
//
// Spec       Protocol/MANIFEST.md, section 3 (The worker)

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
