// LifecycleTests: an interactor's activation, from inactive to inactive.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct LifecycleTests {
    let journal = Journal()

    @Test("L4: activate is idempotent")
    func activatesOnce() async {
        let probe = Probe(journal: journal)
        await probe.activate()
        await probe.activate()
        #expect(journal.lines == ["probe active true"])
    }

    @Test("L7: deactivate without activate does nothing")
    func deactivatesNothing() async {
        let probe = Probe(journal: journal)
        await probe.deactivate()
        #expect(journal.lines == [])
        #expect(await probe.isActive == false)
    }

    @Test("L8: isActiveStream yields the current value, each distinct change, and finishes")
    func streams() async {
        var probe: Probe? = Probe()
        guard let stream = probe?.isActiveStream else { return }
        var values = stream.makeAsyncIterator()
        #expect(await values.next() == false)
        await probe?.activate()
        await probe?.activate()
        #expect(await values.next() == true)
        await probe?.deactivate()
        await probe?.deactivate()
        #expect(await values.next() == false)
        probe = nil
        #expect(await values.next() == nil)
    }

    @Test("L11: many concurrent deactivations make one willResignActive")
    func deactivatesOnce() async {
        let probe = Probe(journal: journal, onResign: { _ in await Task.yield() })
        await probe.activate()
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await probe.deactivate()
                    #expect(await probe.isActive == false)
                }
            }
        }
        #expect(journal.count(of: "probe resigns true") == 1)
    }

    @Test("L15: activate during deactivate ends active")
    func activatesWhileDeactivating() async {
        let latch = Latch()
        let probe = Probe(journal: journal, onResign: { _ in await latch.wait() })
        await probe.activate()
        let deactivation = Task { await probe.deactivate() }
        await journal.wait(for: "probe resigns true")
        let activation = Task { await probe.activate() }
        await letOthersRun()
        latch.open()
        await deactivation.value
        await activation.value
        #expect(await probe.isActive)
        #expect(journal.count(of: "probe active true") == 2)
        #expect(journal.count(of: "probe resigned") == 1)
    }

    @Test("L19: a slow reader of a stream sees the newest value only")
    func keepsTheNewest() async {
        let probe = Probe()
        let stream = probe.isActiveStream
        for _ in 0..<10 {
            await probe.activate()
            await probe.deactivate()
        }
        await probe.activate()
        var values = stream.makeAsyncIterator()
        #expect(await values.next() == true)

        let cell = StateCell(0)
        var numbers = cell.values.makeAsyncIterator()
        for number in 1...100 { cell.value = number }
        #expect(await numbers.next() == 100)

        let bus = EventBus<Int>(capacity: 3)
        var events = bus.events.makeAsyncIterator()
        for number in 1...100 { bus.send(number) }
        #expect(await events.next() == 98)
    }
}
