// SlowStoreTests: a disk that takes 50 ms for each sync, and the loop beside it.
//
// Isolation  @MainActor (main queue, loop embedded).

import Glibc
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport
import Synchronization
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `U16: a volatile session waits for nothing beside a store that is stuck`()
        async throws
    {
        let brake = Brake()
        let setup = try await LedgerSetup(MemoryStore(sync: { brake.wait() }), .machine)
        await setup.interactor.teach("add") { $0.state.sum += 1 }
        let reader = try setup.attach()
        await reader.waitForSnapshot()
        let total = setup.listener(reader, try #require(setup.router.core.node?.id))
        #expect(try await total.act("add") == 1)
        brake.hold()
        let stuck = Task { try await total.act("add") }
        #expect(await settles { setup.journal.durable < setup.journal.needed })
        // Another session of the same worker, whose ledger has nothing to keep.
        let other = SessionHost(name: "house", app: "library", epoch: 7, features: [Panel.self])
        other.keep(
            in: SessionLedger(journal: setup.journal, name: "house", id: "house", epoch: 7))
        let root = TaughtRouter()
        await other.launch(root)
        let (near, descriptor) = try Channel.pair()
        _ = AttachReceiver(other, try Channel.adopt(descriptor: descriptor))
        let viewer = Viewer(near)
        await viewer.waitForSnapshot()
        let panel = PanelPresentableListenerCrossing.sender(
            to: viewer.port(try #require(root.core.node?.id)))
        #expect(try await panel.double(21) == 42)
        #expect(setup.journal.durable < setup.journal.needed)
        brake.release()
        #expect(try await stuck.value == 2)
        await other.end(Refusal(.sessionEnded, "the test is over"))
        await setup.end()
    }

    @Test func `a store of 50 ms a sync does not stop the loop`() async throws {
        let turns = Turns()
        let setup = try await LedgerSetup(MemoryStore(sync: { turns.awaitOne() }), .machine)
        await setup.interactor.teach("add") { $0.state.sum += 1 }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let listener = setup.listener(viewer, try #require(setup.router.core.node?.id))
        let commits = 20
        var isOver = false
        turns.areCounted.store(true, ordering: .relaxed)
        let events = Task {
            defer { isOver = true }
            for sum in 1...commits {
                let total = try await listener.act("add")
                #expect(total == sum)
            }
        }
        while !isOver {
            await turn()
            turns.count.add(1, ordering: .relaxed)
        }
        turns.areCounted.store(false, ordering: .relaxed)
        try await events.value
        #expect(turns.awaited.load(ordering: .relaxed) >= commits)
        #expect(turns.missed.load(ordering: .relaxed) == 0)
        await setup.end()
    }
}

/// The turns of the loop, for who syncs beside it.
private final class Turns: Sendable {
    let areCounted = Atomic(false)
    let count = Atomic(0)
    let awaited = Atomic(0)
    /// How often the loop has stood still.
    let missed = Atomic(0)

    /// Takes 50 ms, and as long as the loop has not turned meanwhile; a loop that waits for us
    /// never does.
    func awaitOne() {
        guard areCounted.load(ordering: .relaxed) else { return }
        let start = count.load(ordering: .relaxed)
        let end = ContinuousClock.now + .seconds(10)
        awaited.add(1, ordering: .relaxed)
        repeat {
            usleep(50_000)
            if count.load(ordering: .relaxed) > start { return }
        } while .now < end
        missed.add(1, ordering: .relaxed)
    }
}
