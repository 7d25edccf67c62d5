// UsageWindowTests: what was used lately, and how many events run in a second.

import NapkinProtocol
import Testing

struct UsageWindowTests {
    @Test func `what was used before the window does not count`() {
        var window = UsageWindow(milliseconds: 1000)
        #expect(window.sampled(500, at: 10_000) == 0)
        #expect(window.sampled(600, at: 10_400) == 100)
        #expect(window.sampled(900, at: 11_000) == 400)
        // The first look is over, the second is the first of the window.
        #expect(window.sampled(1000, at: 11_001) == 400)
        #expect(window.sampled(1000, at: 11_400) == 400)
        #expect(window.sampled(1000, at: 11_401) == 100)
        // After a long pause nothing is known but what is used now.
        #expect(window.sampled(9000, at: 99_000) == 0)
    }

    @Test func `looks without number take no memory, and nonsense does not trap`() {
        var window = UsageWindow(milliseconds: .max)
        for look in 0..<1000 as Range<UInt64> { _ = window.sampled(look, at: 5) }
        #expect(window.sampled(1000, at: 5) == UInt64(UsageWindow.samplesMax - 1))
        #expect(window.sampled(0, at: 0) == 0)
        #expect(window.sampled(.max, at: .max) > 0)
    }

    @Test func `so many events run in a second, and no more`() {
        var rate = EventRate(most: 10)
        // A front may send all of a second's at once.
        let burst = (0..<20).count { _ in rate.takes(at: 5000) }
        #expect(burst == 10)
        let early = rate.takes(at: 5099)
        let due = rate.takes(at: 5100)
        let next = rate.takes(at: 5100)
        #expect(!early && due && !next)
        var taken = 0
        for now in 5100..<15_100 as Range<UInt64> where rate.takes(at: now) { taken += 1 }
        #expect((99...100).contains(taken))
        // A pause of any length is worth a second's.
        let later = (0..<20).count { _ in rate.takes(at: .max) }
        #expect(later == 10)
        // A clock that goes back is worth nothing.
        let back = rate.takes(at: 0)
        #expect(!back)
    }

    @Test(arguments: [1, 999, 1_000_000])
    func `a rate of any size is kept over many milliseconds`(most: Int) {
        var rate = EventRate(most: most)
        var taken = 0
        while rate.takes(at: 0) { taken += 1 }
        #expect(taken == most)
        for now in 1...1000 as ClosedRange<UInt64> { while rate.takes(at: now) { taken += 1 } }
        #expect(taken == 2 * most)
    }
}
