// RestoredSessionTests: what a session records so that its next worker goes on from there.
//
// Isolation  @MainActor (main queue, loop embedded).

import Glibc
import NapkinCore
import NapkinProtocol
import TestSupport
import Testing

@testable import NapkinLedger
@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `U5: a change in child, parent and sibling in one stretch is one record`()
        async throws
    {
        let setup = try await LedgerSetup()
        let router = setup.router
        await router.lay()
        await router.stick()
        let family = router.children.compactMap { $0.interactable as? SumActor }
        try #require(family.count == 2)
        let (child, parent, sibling) = (family[0], setup.interactor, family[1])
        await sibling.teach("end") { interactor in
            interactor.state.sum = 3
            await interactor.presenter.present(sum: 3)
        }
        await parent.teach("go on") { interactor in
            interactor.state.sum = 2
            _ = try await sibling.act("end")
        }
        await child.teach("begin") { interactor in
            interactor.state.sum = 1
            _ = try await parent.act("go on")
            interactor.state.sum += 10
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let before = setup.ledger.recordCount
        let node = try #require(router.children.first?.core.node?.id)
        #expect(try await setup.listener(viewer, node).act("begin") == 11)
        #expect(setup.ledger.recordCount == before + 1)
        let history = try #require(try await setup.journal.tools.history(of: "library"))
        let record = try #require(history.entries.last?.record)
        #expect(record.states?.count == 3 && record.answers?.count == 1 && record.begun == nil)
        await setup.end()
    }

    @Test func `a log that grows by itself is one record for each group, and its numbers go on`()
        async throws
    {
        let store = MemoryStore()
        for life in 1...2 {
            let setup = try await LedgerSetup(store)
            await setup.interactor.teach("pour") { interactor in
                // Each is a stretch of its own.
                let notes = (0..<40).map { number in
                    Task { await interactor.presenter.note(number) }
                }
                for note in notes { await note.value }
            }
            await setup.interactor.teach("write") { $0.state.sum += 1 }
            _ = try await setup.interactor.act("write")
            await setup.journal.waitUntilDurable()
            let (records, group) = (setup.ledger.recordCount, setup.journal.durable)
            _ = try await setup.interactor.act("pour")
            await setup.journal.waitUntilDurable()
            let groups = setup.journal.durable - group
            #expect(setup.ledger.recordCount - records == groups && (1...8).contains(groups))
            let node = try #require(setup.router.core.node)
            let method = try #require(node.logs.entries.first?.method)
            #expect(node.logs[method]?.next == UInt64(life * 40))
            await setup.end()
            await setup.journal.waitUntilDurable()
        }
    }

    @Test func `a provisional log begins anew in the next life, whatever its place was`()
        async throws
    {
        let store = MemoryStore()
        for life in 0..<3 as Range<UInt64> {
            let setup = try await LedgerSetup(store)
            await setup.interactor.teach("write") { $0.state.sum += 1 }
            await setup.interactor.teach("pour") { interactor in
                for number in 0..<40 { await interactor.presenter.meter(number) }
            }
            _ = try await setup.interactor.act("write")
            await setup.journal.waitUntilDurable()
            for _ in 1...3 {
                _ = try await setup.interactor.act("pour")
                await setup.journal.waitUntilDurable()
            }
            let log = try #require(setup.router.core.node?.logs.entries.first?.window)
            #expect(log.origin == life << 32 && log.next == log.origin + 120)
            await setup.end()
            await setup.journal.waitUntilDurable()
        }
    }

    @Test func `what a handler's child task has changed is the event's`() async throws {
        let setup = try await LedgerSetup()
        let held = Latch()
        await setup.interactor.teach("add") { $0.state.sum += 1 }
        await setup.interactor.teach("fork") { interactor in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await interactor.act("add") }
                try await group.waitForAll()
            }
            await held.wait()
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let listener = setup.listener(viewer, try #require(setup.router.core.node?.id))
        async let sum = listener.act("fork")
        while setup.ledger.image.fronts.first?.begun.isEmpty != false { await turn() }
        held.open()
        #expect(try await sum == 1)
        #expect(setup.ledger.image.fronts.first?.begun.isEmpty == true)
        #expect(setup.ledger.image.fronts.first?.answers.count == 1)
        await setup.end()
    }

    @Test func `a restored tree's questions have numbers that it has not had`() async throws {
        let store = MemoryStore()
        var seen: Set<UInt64> = []
        for life in 1...3 {
            let setup = try await LedgerSetup(store)
            await setup.interactor.teach("add") { $0.state.sum += 1 }
            let viewer = try setup.attach()
            await viewer.waitForSnapshot()
            let node = try #require(setup.router.core.node)
            _ = try await setup.listener(viewer, node.id).act("add")
            let presenter = setup.interactor.presenter
            for count in 1...2 {
                let asking = Task.immediate { try await presenter.confirm("sure?") }
                #expect(await settles { viewer.asked.count == count })
                asking.cancel()
                _ = await asking.result
            }
            let numbers = viewer.asked
            #expect(numbers.count == 2 && seen.isDisjoint(with: numbers))
            #expect(numbers.allSatisfy { $0 < 1 << 53 } && (life > 1 || numbers == [1, 2]))
            seen.formUnion(numbers)
            await setup.journal.waitUntilDurable()
            await setup.end()
        }
    }

    @Test func `that an interruption was told is recorded with what it changes`() async throws {
        let store = MemoryStore()
        let setup = try await LedgerSetup(store)
        let held = Latch()
        await setup.interactor.teach("wait") { interactor in
            interactor.state.sum += 1
            await held.wait()
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let listener = setup.listener(viewer, try #require(setup.router.core.node?.id))
        let call = Task { try await listener.act("wait") }
        while setup.ledger.image.fronts.first?.begun.isEmpty != false { await turn() }
        await setup.journal.waitUntilDurable()
        // As if its process had been killed here.
        let known = try store.open().newest
        let next = try await LedgerSetup(store)
        await next.journal.waitUntilDurable()
        let records = try store.groups(after: known, bytesMax: .max).flatMap { group in
            try RecordFraming.records(in: group.bytes, number: group.number)
                .map { try Record(decoding: $0) }
        }
        let told = records.filter { $0.answers != nil }
        #expect(told.count == 1 && told.first?.states?.count == 1)
        #expect(await next.interactor.state.sum == 101)
        #expect(next.ledger.image.fronts.first?.begun.isEmpty == true)
        held.open()
        _ = await call.result
        await setup.end()
        await next.end()
    }

    /// The image of a session with a slip.
    private func imageWithSlip() async throws -> SessionImage {
        let setup = try await LedgerSetup()
        let router = setup.router
        await setup.interactor.teach("lay") { _ in await router.lay { $0.state.sum = 1 } }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let root = try #require(router.core.node?.id)
        _ = try await setup.listener(viewer, root).act("lay")
        await setup.end()
        var image = setup.ledger.image
        // Its descriptions are in the journal that it leaves.
        for index in image.nodes.indices { image.nodes[index].schema = nil }
        return image
    }

    @Test func `a state that cannot be read when its router comes ends the session`() async throws {
        var image = try await imageWithSlip()
        image.nodes[1].state = [0xFF]
        let setup = try await LedgerSetup(restoring: image)
        var defect: RestoreDefect?
        setup.ledger.onDefect = { defect = $0 }
        #expect(setup.ledger.defect == nil)
        await setup.router.lay { $0.state.sum = 2 }
        #expect(defect?.feature == Total.id)
        #expect(setup.ledger.isClosed)
        #expect(setup.ledger.image == image)
        await setup.end()
    }

    @Test func `a front that has not come back is of the worker's user, and no process`()
        async throws
    {
        var image = try await imageWithSlip()
        image.fronts.append(FrontImage(front: 5, started: 0, forgotten: 0))
        image.newestFront = 5
        let setup = try await LedgerSetup(restoring: image)
        let away = setup.session.away
        #expect(away.contains { $0.front == 5 })
        #expect(away.allSatisfy { $0.pid == 0 && $0.uid == geteuid() })
        await setup.end()
    }

    @Test func `a front that is forgotten takes nothing of what is attached meanwhile`()
        async throws
    {
        var image = try await imageWithSlip()
        image.nodes[1].place.front = 5
        image.fronts.append(FrontImage(front: 5, started: 0, forgotten: 0))
        image.newestFront = 5
        let setup = try await LedgerSetup(restoring: image)
        let router = setup.router
        let ledger = setup.ledger
        await setup.interactor.teach("lay") { _ in
            await router.lay { $0.state.sum = 2 }
            await ledger.frontForgotten(5)
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        _ = try await setup.listener(viewer, try #require(router.core.node?.id)).act("lay")
        #expect(ledger.image.nodes.count == 2 && !ledger.image.fronts.contains { $0.front == 5 })
        let interactor = try #require(router.children.first?.core.durable as? SumActor)
        await interactor.teach("add") { $0.state.sum += 1 }
        let slip = try #require(router.children.first?.core.node?.id)
        #expect(try await setup.listener(viewer, slip).act("add") == 3)
        let state = try #require(ledger.image.nodes.last?.state)
        #expect(try Payload(state).decode(SumActor.State.self).sum == 3)
        await setup.end()
    }

    @Test func `the longest answer can be read again`() throws {
        var record = Record(session: 1)
        record.answers = [
            EventAnswer(
                front: 1, sequence: 1,
                frame: [UInt8](repeating: 0, count: Limits.messageBytesMax + 28))
        ]
        #expect(try Record(decoding: record.encoded()) == record)
    }
}
