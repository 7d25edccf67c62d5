// BoundTaskTests: work that lives no longer than its interactor's activation.

import NapkinTesting
import Synchronization
import TestSupport
import Testing

@testable import NapkinCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct BoundTaskTests {
    let journal = Journal()

    @Test("L12: a bound task is cancelled after willResignActive, and deactivate waits for it")
    func isCancelledAndAwaited() async {
        let journal = self.journal
        let probe = Probe(
            journal: journal,
            onActive: { probe in
                probe.task {
                    await untilCancelled()
                    journal.note("cancelled")
                    await letOthersRun()
                    journal.note("ended")
                }
            },
            onResign: { _ in await letOthersRun() })
        await probe.activate()
        await probe.deactivate()
        #expect(
            journal.lines == [
                "probe active true", "probe resigns true", "probe resigned", "cancelled", "ended",
            ])
    }

    @Test("L12: deactivate gives up on a task that does not end, and says so")
    func hasADeadline() async {
        let latch = Latch()
        let probe = Probe(
            lifecycle: InteractorLifecycle(drainDeadline: .milliseconds(1)),
            onActive: { probe in probe.task { await latch.wait() } })
        await probe.activate()
        await probe.deactivate()
        #expect(await probe.isActive == false)
        #expect(probe.lifecycle.boundTaskCount == 1)
        latch.open()
    }

    @Test("L12: each deactivate has the whole deadline, however soon it follows another")
    func hasADeadlineEach() async throws {
        let latch = Latch()
        let deadline = Duration.seconds(1)
        let probe = Probe(lifecycle: InteractorLifecycle(drainDeadline: deadline))
        await probe.activate()
        await probe.task { await untilCancelled() }
        await probe.deactivate()
        // The first deadline would now pass in the middle of the second one.
        try await Task.sleep(for: deadline / 4)
        await probe.activate()
        await probe.task { await latch.wait() }
        let time = await ContinuousClock().measure { await probe.deactivate() }
        #expect(time >= deadline)
        latch.open()
    }

    @Test("L14: a task on an inactive scope never runs")
    func neverRunsInactive() async {
        let journal = self.journal
        let probe = Probe()
        await probe.task { journal.note("ran") }.value
        await probe.activate()
        await probe.deactivate()
        await probe.task { journal.note("ran") }.value
        #expect(journal.lines == [])
        #expect(probe.lifecycle.boundTaskCount == 0)
    }

    @Test("L16: deactivate during didBecomeActive leaves no task behind")
    func leavesNothing() async {
        let latch = Latch()
        let probe = Probe(
            journal: journal,
            onActive: { probe in
                probe.task { await untilCancelled() }
                await latch.wait()
                probe.task { await untilCancelled() }
            })
        let activation = Task { await probe.activate() }
        await journal.wait(for: "probe active true")
        let deactivation = Task { await probe.deactivate() }
        await letOthersRun()
        latch.open()
        await activation.value
        await deactivation.value
        #expect(await probe.isActive == false)
        #expect(probe.lifecycle.boundTaskCount == 0)
        #expect(journal.count(of: "probe resigned") == 1)
    }

    @Test("L16: didBecomeActive may deactivate its own scope")
    func deactivatesItself() async {
        let probe = Probe(
            journal: journal,
            onActive: { probe in
                await probe.deactivate()
                probe.task { await untilCancelled() }
            })
        await probe.activate()
        #expect(await probe.isActive == false)
        #expect(probe.lifecycle.boundTaskCount == 0)
    }

    @Test("L17: 10,000 finished tasks leave an empty set")
    func forgetsTheFinished() async {
        let probe = Probe()
        await probe.activate()
        let count = Mutex(0)
        await withTaskGroup { group in
            for _ in 0..<10_000 {
                let task = await probe.task { count.withLock { $0 += 1 } }
                group.addTask { await task.value }
            }
        }
        #expect(count.withLock { $0 } == 10_000)
        #expect(probe.lifecycle.boundTaskCount == 0)
    }

    @Test("L12: a bound task that deactivates its own scope is not waited for")
    func endsItsScope() async {
        let journal = self.journal
        let probe = Probe()
        await probe.activate()
        await probe.task {
            await probe.deactivate()
            journal.note("went on")
        }.value
        #expect(journal.lines == ["went on"])
        #expect(await probe.isActive == false)
    }

    @Test("L12: a bound task may ask for what another caller is doing already")
    func joinsADeactivation() async {
        let journal = self.journal
        let latch = Latch()
        let probe = Probe(
            journal: journal, lifecycle: InteractorLifecycle(drainDeadline: .seconds(30)),
            onResign: { _ in await latch.wait() })
        await probe.activate()
        let outside = Task { await probe.deactivate() }
        await journal.wait(for: "probe resigns true")
        let inside = await probe.task {
            journal.note("asks")
            await probe.deactivate()
            journal.note("goes on")
        }
        await journal.wait(for: "asks")
        latch.open()
        await outside.value
        await inside.value
        #expect(await probe.isActive == false)
        #expect(journal.lines.contains("goes on"))
    }
}
