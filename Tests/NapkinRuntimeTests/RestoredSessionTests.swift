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
        let library = try await Library()
        let router = library.router
        await router.lay()
        await router.stick()
        let family = router.children.compactMap { $0.interactable as? Clerk }
        try #require(family.count == 2)
        let (child, parent, sibling) = (family[0], library.clerk, family[1])
        await sibling.teach("end") { clerk in
            clerk.state.sum = 3
            await clerk.presenter.present(sum: 3)
        }
        await parent.teach("go on") { clerk in
            clerk.state.sum = 2
            _ = try await sibling.act("end")
        }
        await child.teach("begin") { clerk in
            clerk.state.sum = 1
            _ = try await parent.act("go on")
            clerk.state.sum += 10
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let before = library.ledger.recordCount
        let node = try #require(router.children.first?.core.node?.id)
        #expect(try await library.listener(visitor, node).act("begin") == 11)
        #expect(library.ledger.recordCount == before + 1)
        let history = try #require(try await library.journal.history(of: "library"))
        let record = try #require(history.entries.last?.record)
        #expect(record.states?.count == 3 && record.answers?.count == 1 && record.begun == nil)
        await library.end()
    }

    @Test func `a log that grows by itself is one record for each group, and its numbers go on`()
        async throws
    {
        let store = MemoryStore()
        for life in 1...2 {
            let library = try await Library(store)
            await library.clerk.teach("pour") { clerk in
                // Each is a stretch of its own.
                let notes = (0..<40).map { number in
                    Task { await clerk.presenter.note(number) }
                }
                for note in notes { await note.value }
            }
            await library.clerk.teach("write") { $0.state.sum += 1 }
            _ = try await library.clerk.act("write")
            await library.journal.settle()
            let (records, group) = (library.ledger.recordCount, library.journal.durable)
            _ = try await library.clerk.act("pour")
            await library.journal.settle()
            let groups = library.journal.durable - group
            #expect(library.ledger.recordCount - records == groups && (1...8).contains(groups))
            let node = try #require(library.router.core.node)
            let method = try #require(node.logs.entries.first?.method)
            #expect(node.logs[method]?.next == UInt64(life * 40))
            await library.end()
            await library.journal.settle()
        }
    }

    @Test func `what a handler's child task has changed is the event's`() async throws {
        let library = try await Library()
        let held = Latch()
        await library.clerk.teach("add") { $0.state.sum += 1 }
        await library.clerk.teach("fork") { clerk in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await clerk.act("add") }
                try await group.waitForAll()
            }
            await held.wait()
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let listener = library.listener(visitor, try #require(library.router.core.node?.id))
        async let sum = listener.act("fork")
        while library.ledger.image.fronts.first?.begun.isEmpty != false { await turn() }
        held.open()
        #expect(try await sum == 1)
        #expect(library.ledger.image.fronts.first?.begun.isEmpty == true)
        #expect(library.ledger.image.fronts.first?.answers.count == 1)
        await library.end()
    }

    @Test func `a restored tree's questions have numbers that it has not had`() async throws {
        let store = MemoryStore()
        var seen: Set<UInt64> = []
        for life in 1...3 {
            let library = try await Library(store)
            await library.clerk.teach("add") { $0.state.sum += 1 }
            let visitor = try library.attach()
            await visitor.waitForSnapshot()
            let node = try #require(library.router.core.node)
            _ = try await library.listener(visitor, node.id).act("add")
            let presenter = library.clerk.presenter
            for count in 1...2 {
                let asking = Task.immediate { try await presenter.confirm("sure?") }
                #expect(await settles { visitor.asked.count == count })
                asking.cancel()
                _ = await asking.result
            }
            let numbers = visitor.asked
            #expect(numbers.count == 2 && seen.isDisjoint(with: numbers))
            #expect(numbers.allSatisfy { $0 < 1 << 53 } && (life > 1 || numbers == [1, 2]))
            seen.formUnion(numbers)
            await library.journal.settle()
            await library.end()
        }
    }

    @Test func `that an interruption was told is recorded with what it changes`() async throws {
        let store = MemoryStore()
        let library = try await Library(store)
        let held = Latch()
        await library.clerk.teach("wait") { clerk in
            clerk.state.sum += 1
            await held.wait()
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let listener = library.listener(visitor, try #require(library.router.core.node?.id))
        let call = Task { try await listener.act("wait") }
        while library.ledger.image.fronts.first?.begun.isEmpty != false { await turn() }
        await library.journal.settle()
        // As if its process had been killed here.
        let known = try store.newestGroup()
        let next = try await Library(store)
        await next.journal.settle()
        let records = try store.groups(after: known, bytesMax: .max).flatMap { group in
            try RecordFraming.records(in: group.bytes, number: group.number)
                .map { try Record(decoding: $0) }
        }
        let told = records.filter { $0.answers != nil }
        #expect(told.count == 1 && told.first?.states?.count == 1)
        #expect(await next.clerk.state.sum == 101)
        #expect(next.ledger.image.fronts.first?.begun.isEmpty == true)
        held.open()
        _ = await call.result
        await library.end()
        await next.end()
    }

    /// The image of a library with a slip.
    private func imageWithSlip() async throws -> SessionImage {
        let library = try await Library()
        let router = library.router
        await library.clerk.teach("lay") { _ in await router.lay { $0.state.sum = 1 } }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let root = try #require(router.core.node?.id)
        _ = try await library.listener(visitor, root).act("lay")
        await library.end()
        var image = library.ledger.image
        // Its descriptions are in the journal that it leaves.
        for index in image.nodes.indices { image.nodes[index].schema = nil }
        return image
    }

    @Test func `a state that cannot be read when its router comes ends the session`() async throws {
        var image = try await imageWithSlip()
        image.nodes[1].state = [0xFF]
        let library = try await Library(restoring: image)
        var defect: RestoreDefect?
        library.ledger.onDefect = { defect = $0 }
        #expect(library.ledger.defect == nil)
        await library.router.lay { $0.state.sum = 2 }
        #expect(defect?.feature == Shelf.id)
        #expect(library.ledger.isClosed)
        #expect(library.ledger.image == image)
        await library.end()
    }

    @Test func `a front that has not come back is of the worker's user, and no process`()
        async throws
    {
        var image = try await imageWithSlip()
        image.fronts.append(FrontImage(front: 5, started: 0, forgotten: 0))
        image.newestFront = 5
        let library = try await Library(restoring: image)
        let away = library.session.away
        #expect(away.contains { $0.front == 5 })
        #expect(away.allSatisfy { $0.pid == 0 && $0.uid == geteuid() })
        await library.end()
    }

    @Test func `a front that is forgotten takes nothing of what is attached meanwhile`()
        async throws
    {
        var image = try await imageWithSlip()
        image.nodes[1].place.front = 5
        image.fronts.append(FrontImage(front: 5, started: 0, forgotten: 0))
        image.newestFront = 5
        let library = try await Library(restoring: image)
        let router = library.router
        let ledger = library.ledger
        await library.clerk.teach("lay") { _ in
            await router.lay { $0.state.sum = 2 }
            await ledger.frontForgotten(5)
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        _ = try await library.listener(visitor, try #require(router.core.node?.id)).act("lay")
        #expect(ledger.image.nodes.count == 2 && !ledger.image.fronts.contains { $0.front == 5 })
        let clerk = try #require(router.children.first?.core.durable as? Clerk)
        await clerk.teach("add") { $0.state.sum += 1 }
        let slip = try #require(router.children.first?.core.node?.id)
        #expect(try await library.listener(visitor, slip).act("add") == 3)
        let state = try #require(ledger.image.nodes.last?.state)
        #expect(try Payload(state).decode(Clerk.State.self).sum == 3)
        await library.end()
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
