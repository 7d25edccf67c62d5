// UsageWindow: measures recent growth of a counter that never falls.
//
// Invariant  at most `samplesMax` samples are kept.

/// Keeps the samples of a usage counter that are younger than the window.
public struct UsageWindow: Sendable {
    private struct Sample: Sendable {
        var at: UInt64
        var used: UInt64
    }

    /// Samples in one window. Beyond this, the oldest is forgotten.
    public static let samplesMax = 256

    private let milliseconds: UInt64
    private var samples: [Sample] = []

    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

    /// Records the total used until `now`, in milliseconds. Returns the growth since the first
    /// sample in the window.
    public mutating func sampled(_ used: UInt64, at now: UInt64) -> UInt64 {
        samples.append(Sample(at: now, used: used))
        let begin = now - min(now, milliseconds)
        let outdated = samples.prefix { $0.at < begin }.count
        samples.removeFirst(max(outdated, samples.count - Self.samplesMax))
        return used - min(used, samples.first?.used ?? used)
    }
}
