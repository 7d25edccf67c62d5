// FrontSurfaceTests: what a front tells its surface beside what is shown.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTesting
import Testing

@testable import NapkinFront

extension FrontReturnTests {
    /// A front that shows one prompt, and its worker.
    private func shown(
        _ place: Place, _ prepare: (Front) -> Void = { _ in }
    ) async throws -> (Watcher, Visit, Task<Front.End, Never>) {
        let watcher = Watcher(place)
        prepare(watcher.front)
        let run = Task { await watcher.front.run() }
        let visit = await place.visit()
        visit.attach(epoch: 1)
        try visit.show(1, epoch: 1)
        await watcher.journal.wait(for: "applied 1")
        return (watcher, visit, run)
    }

    @Test func `a view answers what it has a dialog for, and leaves the rest to the surface`()
        async throws
    {
        let place = try Place()
        let (watcher, visit, run) = try await shown(place)
        visit.ask(1, "known", epoch: 1)
        #expect(await visit.answer() == (1, true))
        visit.ask(2, "unknown", epoch: 1)
        await watcher.journal.wait(for: "left 2")
        #expect(watcher.journal.lines.filter { !$0.hasSuffix(" 1") } == ["asks 2", "left 2"])
        watcher.front.answer(
            2, try Payload { (writer) throws(CBORError) in writer.writeBool(false) })
        #expect(await visit.answer() == (2, false))
        watcher.front.detach()
        _ = await run.value
    }

    @Test func `an event is timed for a surface that wants it, and ends as it would`()
        async throws
    {
        let place = try Place()
        let (watcher, visit, run) = try await shown(place) { $0.timesEvents = true }
        let view = try #require(watcher.views.last)
        let press = Task.immediate { await view.press(7) }
        let (header, number) = await visit.event()
        #expect(number == 7)
        visit.reply(header.sequence, 0)
        #expect(await press.value == nil)
        #expect(watcher.journal.lines.last == "took")
        // One that fails has no time.
        let lost = Task.immediate { await view.press(8) }
        _ = await visit.event()
        watcher.front.detach()
        _ = await run.value
        #expect(await lost.value == .unknown)
        #expect(watcher.journal.lines.count { $0 == "took" } == 1)
    }

    @Test func `a surface hears of a receipt, whatever the event's sender makes of it`()
        async throws
    {
        let place = try Place()
        let (watcher, visit, run) = try await shown(place)
        let view = try #require(watcher.views.last)
        for (code, receipt) in [(RemoteFault.Code.quarantined, UInt64(12)), (.failed, nil)] {
            let press = Task.immediate { await view.press(7) }
            visit.fault(await visit.event().0.sequence, code, receipt: receipt)
            #expect(await press.value == code)
        }
        #expect(watcher.journal.lines.suffix(2) == ["applied 1", "set aside 12"])
        watcher.front.detach()
        _ = await run.value
    }

    @Test func `the number of fronts is for a surface that counts, and no state of a view`()
        async throws
    {
        let place = try Place()
        let (watcher, visit, run) = try await shown(place) { $0.countsFronts = true }
        #expect(visit.countsFronts)
        visit.count(3, epoch: 1)
        await watcher.journal.wait(for: "counts 3")
        #expect(watcher.front.tree.node(1)?.states.isEmpty == true)
        watcher.front.detach()
        _ = await run.value
        let (other, second, ended) = try await shown(place)
        #expect(!second.countsFronts)
        other.front.detach()
        _ = await ended.value
    }
}
