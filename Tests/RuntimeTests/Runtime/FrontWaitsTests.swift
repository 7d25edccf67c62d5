// FrontWaitsTests: what a front says that it waits for, and when it looks again.

import NapkinCore
import Testing

@testable import NapkinRuntime

struct FrontWaitsTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    /// The time since a ping and since the oldest call, in milliseconds; what is said, and the
    /// milliseconds until that changes.
    @Test(
        arguments: [
            (nil, nil, nil, nil),
            (0, nil, nil, 300),
            (299, nil, nil, 1),
            (300, nil, FrontWait(.worker, seconds: 0), 700),
            (999, nil, FrontWait(.worker, seconds: 0), 1),
            (1000, nil, FrontWait(.worker, seconds: 1), 1000),
            (61_250, nil, FrontWait(.worker, seconds: 61), 750),
            (nil, 299, nil, 1),
            (nil, 300, FrontWait(.answer, seconds: 0), 700),
            (nil, 2500, FrontWait(.answer, seconds: 2), 500),
            // A ping that is young may still be answered: the event's wait is said meanwhile.
            (100, 2500, FrontWait(.answer, seconds: 2), 200),
            (250, 290, nil, 10),
            // A worker that does not answer pings explains everything else.
            (300, 9000, FrontWait(.worker, seconds: 0), 700),
        ] as [(Int?, Int?, FrontWait?, Int?)])
    func `a silence is said after a moment, and counted in seconds`(
        pinged: Int?, called: Int?, wait: FrontWait?, next: Int?
    ) {
        var waits = FrontWaits()
        let now = at(100_000)
        if let pinged { #expect(waits.pinged(at: now - .milliseconds(pinged)) == 1) }
        let found = waits.wait(since: called.map { now - .milliseconds($0) }, at: now)
        #expect(found.wait == wait)
        #expect(found.next == next.map { .milliseconds($0) })
    }

    @Test func `one ping at a time is unanswered, and only its own answer ends it`() {
        var waits = FrontWaits()
        #expect(waits.pinged(at: at(0)) == 1)
        #expect(waits.pinged(at: at(1000)) == nil)
        waits.answered(2, at: at(1000))
        #expect(waits.wait(since: nil, at: at(1000)).wait == FrontWait(.worker, seconds: 1))
        waits.answered(1, at: at(1000))
        #expect(waits.wait(since: nil, at: at(1000)).wait == nil)
        #expect(waits.pinged(at: at(1000)) == 2)
    }

    @Test(arguments: [(0, 300), (150, 300), (151, 302), (1000, 2000)])
    func `a distant worker is not a slow one`(roundTrip: Int, patience: Int) {
        var waits = FrontWaits()
        _ = waits.pinged(at: at(0))
        waits.answered(1, at: at(roundTrip))
        let called = at(5000)
        #expect(waits.wait(since: called, at: at(5000 + patience - 1)).wait == nil)
        #expect(waits.wait(since: called, at: at(5000 + patience)).wait?.subject == .answer)
    }

    @Test func `a front waits for no answer while a person is asked`() {
        var waits = FrontWaits()
        waits.questionOpened(1)
        waits.questionOpened(2)
        #expect(waits.wait(since: at(0), at: at(9000)).wait == nil)
        waits.questionEnded(1, at: at(9000))
        waits.questionEnded(3, at: at(9000))
        #expect(waits.wait(since: at(0), at: at(9900)).wait == nil)
        waits.questionEnded(2, at: at(10_000))
        // The worker has had time since then only.
        #expect(waits.wait(since: at(0), at: at(10_299)).wait == nil)
        #expect(waits.wait(since: at(0), at: at(11_000)).wait == FrontWait(.answer, seconds: 1))
        #expect(waits.wait(since: at(10_900), at: at(11_000)).next == .milliseconds(200))
    }
}
