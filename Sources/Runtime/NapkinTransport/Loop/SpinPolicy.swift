// SpinPolicy: decides for how long the loop spins before it blocks.
//
// Layer      transport, loop. A value: the loop passes it the time and the result of each spin.
// Invariant  the time spun in vain stays below 1 / `wasteShare` of the time.
//
// A wake-up by another core takes 25 to 60 µs and costs as much processor time as spinning that
// long. Spinning pays only while input comes sooner: the loop tries it after blocking briefly
// several times in a row, continues while input arrives, and stops otherwise.

/// Whether and for how long to spin, in nanoseconds of one clock.
struct SpinPolicy {
    /// The longest single spin. Chosen: a wake-up, which is how long the peer of a lone event takes
    /// until it spins as well.
    static let longest: UInt64 = 50_000
    /// The greatest average wait for which spinning pays. Measured: two sides that spin answer each
    /// other in 4 to 8 µs; with 10 here, some runs never reached that.
    private static let paysUpTo: UInt64 = 20_000
    /// A turn that follows the last one within this time may be worth a trial: two wake-ups and
    /// some work.
    private static let shortTurn: UInt64 = 150_000
    /// The number of such turns in a row before a trial.
    private static let shortTurnsMin = 4
    /// The number of spins in a trial before it is judged.
    private static let trialSpins = 64
    /// The number of vain spins in a row after which spinning stops.
    private static let missesMax = 4
    /// The reciprocal of the largest share of the time that may be spun in vain.
    private static let wasteShare: UInt64 = 50
    /// The pauses between failed trials: each is twice as long as the last.
    private static let pauses: ClosedRange<UInt64> = 20_000_000...2_000_000_000

    private enum Phase {
        case blocking
        case trying(left: Int)
        case spinning
    }

    private var phase = Phase.blocking
    private var shortTurns = 0
    private var misses = 0
    /// The moving average of the waits that met input.
    private var average: UInt64 = 0
    private var lastTurn: UInt64 = 0
    private var nextTrial: UInt64 = 0
    private var pause = Self.pauses.lowerBound
    /// The saved-up time that may be spun in vain.
    private var credit: UInt64 = 0

    /// Returns whether to spin before the loop blocks.
    mutating func shouldSpin(now: UInt64) -> Bool {
        let turn = now &- lastTurn
        lastTurn = now
        credit = min(credit + turn / Self.wasteShare, Self.longest * 64)
        guard case .blocking = phase else { return credit >= Self.longest }
        shortTurns = turn <= Self.shortTurn ? shortTurns + 1 : 0
        guard shortTurns >= Self.shortTurnsMin, now >= nextTrial else { return false }
        (phase, misses, average) = (.trying(left: Self.trialSpins), 0, 0)
        return credit >= Self.longest
    }

    /// Records how long the loop spun, and whether input came.
    mutating func spun(for wait: UInt64, met: Bool, now: UInt64) {
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
            (phase, pause) = (.spinning, Self.pauses.lowerBound)
        case .spinning where average <= Self.paysUpTo: break
        default: leave(now)
        }
    }

    private mutating func leave(_ now: UInt64) {
        (phase, shortTurns) = (.blocking, 0)
        nextTrial = now + pause
        pause = min(2 * pause, Self.pauses.upperBound)
    }
}
