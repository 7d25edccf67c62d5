// SlowStoreTests: a disk that takes 50 ms for each sync, and the loop beside it.
//
// Layer      tests of the runtime with its ledger.
// Isolation  @MainActor (main queue, loop embedded).

import Glibc
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `U16: a volatile session waits for nothing beside a store that is stuck`()
        async throws
    {
        let brake = Brake()
        let library = try await Library(MemoryStore(sync: { brake.wait() }), .machine)
        await library.clerk.teach("add") { $0.state.sum += 1 }
        let reader = try library.attach()
        await reader.waitForSnapshot()
        let shelf = library.listener(reader, try #require(library.router.core.node?.id))
        #expect(try await shelf.act("add") == 1)
        brake.hold()
        let stuck = Task { try await shelf.act("add") }
        #expect(await settles { library.journal.durable < library.journal.needed })
        // Another session of the same worker, whose ledger has nothing to keep.
        let house = SessionHost(name: "house", app: "library", epoch: 7, features: [Room.self])
        house.keep(
            in: SessionLedger(journal: library.journal, name: "house", id: "house", epoch: 7))
        let hall = HallRouter()
        await house.launch(hall)
        let (near, descriptor) = try Channel.pair()
        _ = Doorkeeper(house, try Channel.adopt(descriptor: descriptor))
        let guest = Visitor(near)
        await guest.waitForSnapshot()
        let room = RoomPresentableListenerCrossing.sender(
            to: guest.port(try #require(hall.core.node?.id)))
        #expect(try await room.double(21) == 42)
        #expect(library.journal.durable < library.journal.needed)
        brake.release()
        #expect(try await stuck.value == 2)
        await house.end(Refusal(.sessionEnded, "the test is over"))
        await library.end()
    }

    @Test func `a store of 50 ms a sync does not stop the loop`() async throws {
        let library = try await Library(MemoryStore(sync: { usleep(50_000) }), .machine)
        await library.clerk.teach("add") { $0.state.sum += 1 }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let listener = library.listener(visitor, try #require(library.router.core.node?.id))
        let commits = 20
        let events = Task {
            for sum in 1...commits {
                let total = try await listener.act("add")
                #expect(total == sum)
            }
        }
        var isOver = false
        let watch = Task {
            try await events.value
            isOver = true
        }
        var gaps: [Duration] = []
        var last = ContinuousClock.now
        while !isOver, gaps.count < 1_000_000 {
            await turn()
            gaps.append(.now - last)
            last = .now
        }
        try await watch.value
        gaps.sort()
        // A loop that waited would have stood still for each of them.
        #expect(gaps.count { $0 > .milliseconds(45) } < commits / 2)
        print(
            "slow store: turns of \(gaps[gaps.count / 2]) and \(gaps[gaps.count * 999 / 1000])"
                + " (p50, p99.9), at most \(gaps[gaps.count - 1])")
        await library.end()
    }
}
