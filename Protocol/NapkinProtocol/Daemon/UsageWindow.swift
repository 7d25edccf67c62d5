// UsageWindow: how much of something that only grows was used lately.
//
// Invariant  at most `samplesMax` samples are kept.

/// Keeps what had been used at each look, for a while.
public struct UsageWindow: Sendable {
    private struct Sample: Sendable {
        var at: UInt64
        var used: UInt64
    }

    /// Looks of one window. Beyond it, the oldest is forgotten.
    public static let samplesMax = 256

    private let milliseconds: UInt64
    private var samples: [Sample] = []

    public init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    /// Notes that so much had been used until `now`, in milliseconds. Returns how much of it was
    /// used since the first look in the window.
    public mutating func looked(_ used: UInt64, at now: UInt64) -> UInt64 {
        samples.append(Sample(at: now, used: used))
        let begin = now - min(now, milliseconds)
        let outdated = samples.prefix { $0.at < begin }.count
        samples.removeFirst(max(outdated, samples.count - Self.samplesMax))
        return used - min(used, samples.first?.used ?? used)
    }
}
