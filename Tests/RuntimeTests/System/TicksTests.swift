// TicksTests: times that come again, by a clock that the test moves.

import NapkinCore
import NapkinSystem
import NapkinTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TicksTests {
    @Test func `ticks are a period apart, however long a body takes`() async {
        let manual = ManualClock()
        var ticks = AnyClock(manual).every(.seconds(10)).makeAsyncIterator()
        async let passed: Void = manual.pass(.seconds(10))
        #expect(await ticks.next()?.offset == .seconds(10))
        await passed
        manual.advance(by: .seconds(4))
        async let rest: Void = manual.pass(.seconds(6))
        #expect(await ticks.next()?.offset == .seconds(20))
        await rest
    }

    @Test func `ticks that were missed are one`() async {
        let manual = ManualClock()
        var ticks = AnyClock(manual).every(.seconds(10)).makeAsyncIterator()
        manual.advance(by: .seconds(604_805))
        #expect(await ticks.next()?.offset == .seconds(10))
        async let passed: Void = manual.pass(.seconds(5))
        #expect(await ticks.next()?.offset == .seconds(604_810))
        await passed
    }

    @Test func `the first tick may be named, and may have passed`() async {
        let manual = ManualClock()
        let clock = AnyClock(manual)
        var ticks = clock.every(.seconds(10), from: clock.now).makeAsyncIterator()
        #expect(await ticks.next()?.offset == .zero)
        async let passed: Void = manual.pass(.seconds(10))
        #expect(await ticks.next()?.offset == .seconds(10))
        await passed
    }

    @Test func `a cancelled task has no more ticks`() async {
        let manual = ManualClock()
        let task = Task {
            var count = 0
            for await _ in AnyClock(manual).every(.seconds(10)) { count += 1 }
            return count
        }
        await manual.waitForSleeper()
        task.cancel()
        #expect(await task.value == 0)
    }
}
