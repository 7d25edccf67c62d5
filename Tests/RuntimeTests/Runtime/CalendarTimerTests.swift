// CalendarTimerTests: timers that follow a calendar, while the clock jumps.

import NapkinCore
import Testing

@testable import NapkinLedger
@testable import NapkinRuntime

extension RuntimeTests {
    private static let daily = 86_400_000 as Int64

    @Test func `U11: a daily timer fires once a day, over deaths and a clock that is set`()
        async throws
    {
        let setup = try await DurableSetup()
        let schedule = try CalendarSchedule("every 24h")
        try await setup.interactor.does { try $0.schedule("day", schedule, "") }
        let next = { () async -> Int64? in
            await setup.interactor.nextFiring("day").map { Int64($0 * 1000) }
        }
        let first = schedule.next(afterMilliseconds: setup.now)
        #expect(await next() == first)
        await setup.passes(first - setup.now)
        #expect(await setup.interactor.lines.count == 1)
        // A jump of three days: once for all.
        await setup.passes(3 * Self.daily)
        #expect(await setup.interactor.lines.count == 2)
        let fourth = try #require(await next())
        #expect(fourth == schedule.next(afterMilliseconds: setup.now))
        // Back by two: the next midnight counts.
        await setup.passes(-2 * Self.daily)
        #expect(await next() == schedule.next(afterMilliseconds: setup.now))
        #expect(try #require(await next()) < fourth)
        try await setup.dies()
        #expect(await next() == schedule.next(afterMilliseconds: setup.now))
        await setup.passes(Self.daily)
        #expect(await setup.interactor.lines.count == 3)
        await setup.end()
    }

    @Test func `nothing fires next that is not scheduled`() async throws {
        let setup = try await DurableSetup()
        #expect(await setup.interactor.nextFiring("tea") == nil)
        try await setup.interactor.does { interactor in
            try interactor.schedule("tea", after: .seconds(5), "")
            // As it was requested, in the handler that has done so.
            #expect(interactor.nextFiring("tea") == Double(1_000_005_000) / 1000)
            interactor.cancel("tea")
        }
        #expect(await setup.interactor.nextFiring("tea") == nil)
        await setup.end()
    }
}
