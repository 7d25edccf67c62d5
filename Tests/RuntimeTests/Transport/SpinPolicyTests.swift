// SpinPolicyTests: looking for input is tried, kept up and left as it pays.

import Testing

@testable import NapkinTransport

@Suite struct SpinPolicyTests {
    /// A loop whose next input comes so long after it has nothing left to do; nanoseconds.
    private struct Place {
        /// What a blocked loop takes to wake up.
        static let wakeUp: UInt64 = 40_000
        var policy = SpinPolicy()
        /// A process that has run for a while.
        var now: UInt64 = 1_000_000_000
        var looks = 0
        var wasted: UInt64 = 0

        mutating func turn(_ gap: UInt64) {
            guard policy.shouldSpin(now: now) else {
                now += gap + Self.wakeUp
                return
            }
            looks += 1
            let met = gap <= SpinPolicy.longest
            now += min(gap, SpinPolicy.longest)
            policy.spun(for: min(gap, SpinPolicy.longest), met: met, now: now)
            if met { return }
            wasted += SpinPolicy.longest
            now += gap - SpinPolicy.longest + Self.wakeUp
        }

        mutating func turns(_ count: Int, _ gap: UInt64) { for _ in 0..<count { turn(gap) } }
    }

    @Test func `input that follows at once is met without blocking`() {
        var place = Place()
        place.turns(10, 5_000)
        place.looks = 0
        place.turns(10_000, 5_000)
        #expect(place.looks == 10_000 && place.wasted == 0)
    }

    @Test(arguments: [120_000, 1_000_000, 10_000_000, 1_000_000_000] as [UInt64])
    func `input that comes later is not looked for`(gap: UInt64) {
        var place = Place()
        place.turns(10_000, gap)
        #expect(place.looks == 0)
    }

    @Test(arguments: [30_000, 45_000, 60_000, 100_000] as [UInt64])
    func `a trial that does not pay ends, and the next ones are rare`(gap: UInt64) {
        var place = Place()
        let start = place.now
        place.turns(100_000, gap)
        let time = place.now - start
        #expect(place.looks > 0)
        #expect(UInt64(place.looks) * SpinPolicy.longest < time / 50)
    }

    @Test func `when the traffic ends, looking ends`() {
        var place = Place()
        place.turns(1_000, 5_000)
        place.looks = 0
        place.turns(1_000, 1_000_000)
        #expect(place.looks <= 4)
        // And begins again with it.
        place.turns(100_000, 5_000)
        #expect(place.looks > 90_000)
    }

    @Test func `pauses between bursts cost no more than their share`() {
        var place = Place()
        let start = place.now
        for _ in 0..<10_000 {
            place.turns(20, 5_000)
            place.turn(300_000)
        }
        #expect(place.wasted <= (place.now - start) / 50 + 64 * SpinPolicy.longest)
    }
}
