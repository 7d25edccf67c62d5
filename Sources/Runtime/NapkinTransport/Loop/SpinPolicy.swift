// SpinPolicy: for how long the loop looks for input before it blocks.
//
// Layer      transport, loop. A value: the loop tells it the time and what it has seen.
// Invariant  what is spent in vain stays below 1 / `wasteShare` of the time.
//
// Another core's wake-up takes 25 to 60 µs and costs as much processor time as looking for input
// that long. Looking pays while input comes sooner, and only then: it is tried when the loop
// has blocked shortly several times in a row, kept up while it meets input, and left otherwise.

/// Whether and for how long to look for input, in nanoseconds of one clock.
struct SpinPolicy {
    /// The longest that the loop looks at once. Chosen: a wake-up, which is what the peer of a lone
    /// event takes until it looks, too.
    static let longest: UInt64 = 50_000
    /// The greatest average wait for which looking pays. Measured: two sides that look answer each
    /// other in 4 to 8 µs; with 10 here, some runs never came to that.
    private static let paysUpTo: UInt64 = 20_000
    /// A turn that is at most so long after the one before it may be worth a trial: two wake-ups
    /// and some work.
    private static let shortTurn: UInt64 = 150_000
    /// How many such turns in a row.
    private static let shortTurnsMin = 4
    /// How often a trial looks before it is judged.
    private static let trialLooks = 64
    /// How often in a row looking is in vain before it is left.
    private static let missesMax = 4
    /// At most this part of the time is spent in vain.
    private static let wasteShare: UInt64 = 50
    /// The pauses between trials that fail: twice as long each time.
    private static let pauses: ClosedRange<UInt64> = 20_000_000...2_000_000_000

    private enum Phase {
        case blocking
        case trying(left: Int)
        case looking
    }

    private var phase = Phase.blocking
    private var shortTurns = 0
    private var misses = 0
    /// The moving average of the waits that met input.
    private var average: UInt64 = 0
    private var lastTurn: UInt64 = 0
    private var nextTrial: UInt64 = 0
    private var pause = Self.pauses.lowerBound
    /// What may be spent in vain, saved up.
    private var credit: UInt64 = 0

    /// Returns whether to look for input before the loop blocks.
    mutating func looks(now: UInt64) -> Bool {
        let turn = now &- lastTurn
        lastTurn = now
        credit = min(credit + turn / Self.wasteShare, Self.longest * 64)
        guard case .blocking = phase else { return credit >= Self.longest }
        shortTurns = turn <= Self.shortTurn ? shortTurns + 1 : 0
        guard shortTurns >= Self.shortTurnsMin, now >= nextTrial else { return false }
        (phase, misses, average) = (.trying(left: Self.trialLooks), 0, 0)
        return credit >= Self.longest
    }

    /// Learns how long the loop has looked, and whether input came.
    mutating func looked(for wait: UInt64, met: Bool, now: UInt64) {
        lastTurn = now
        guard met else {
            misses += 1
            credit -= min(credit, wait)
            if misses >= Self.missesMax { leave(now) }
            return
        }
        misses = 0
        average = average == 0 ? wait : (average * 7 + wait) / 8
        switch phase {
        case .trying(let left) where left > 1: phase = .trying(left: left - 1)
        case .trying where average <= Self.paysUpTo:
            (phase, pause) = (.looking, Self.pauses.lowerBound)
        case .looking where average <= Self.paysUpTo: break
        default: leave(now)
        }
    }

    private mutating func leave(_ now: UInt64) {
        (phase, shortTurns) = (.blocking, 0)
        nextTrial = now + pause
        pause = min(2 * pause, Self.pauses.upperBound)
    }
}
