// OpeningTests: a journal that is opened writes nothing before what fronts wait for.
//
// Isolation  @MainActor: the journal's.

import NapkinCore
import NapkinTransport
import Synchronization
import Testing

@testable import NapkinLedger

@MainActor
struct OpeningTests {
    /// Returns a store with sessions a and b, which have records after their images.
    private func store(committed: @escaping @Sendable () -> Void) throws -> MemoryStore {
        let store = MemoryStore(sync: committed)
        var commit = JournalCommit(.init(number: 1, bytes: RecordFraming.frame([], number: 1)))
        var records: [[UInt8]] = []
        for (number, name) in [(1, "a"), (2, "b")] as [(SessionNumber, String)] {
            var image = SessionImage(
                session: number, title: SessionTitle(name: name, id: name, epoch: 7))
            var first = Record(session: number)
            first.attached = [
                AttachedNode(
                    number: 1, parent: 0, slot: "", feature: "house.root", arguments: [0xF6])
            ]
            first.states = [StateChange(number: 1, whole: [1])]
            try image.apply(first)
            commit.images.append(try image.stored(as: 1))
            var second = Record(session: number)
            second.states = [StateChange(number: 1, whole: [2])]
            second.timers = [
                TimerImage(
                    id: 1, node: 1, name: "tea", due: Int64(10 * number), missed: 0, payload: [])
            ]
            records.append(try second.encoded())
        }
        try store.commit(commit)
        try store.commit(
            JournalCommit(.init(number: 2, bytes: RecordFraming.frame(records, number: 2))))
        return store
    }

    /// Opens it. What a timer would write after a while, a test has written when it wants to.
    private func opened(_ store: MemoryStore) throws -> Journal {
        let journal = try Journal(durability: .process, store)
        journal.openingTimer?.cancel()
        return journal
    }

    private func bases(_ store: MemoryStore) throws -> [GroupNumber] {
        try store.sessions().map(\.base)
    }

    @Test func `images are brought up to date in memory, and written later`() async throws {
        let count = Mutex(0)
        let store = try store { count.withLock { $0 += 1 } }
        let journal = try opened(store)
        defer { journal.scheduler.stop() }
        for name in ["a", "b"] {
            #expect(try await journal.image(named: name)?.nodes.first?.state == [2])
        }
        await journal.scheduler.find(in: journal)
        #expect(journal.scheduler.earliest == 10)
        let listed = try await journal.tools.list()
        #expect(listed.map(\.newest) == [2, 2])
        #expect(listed.allSatisfy { $0.bytes > $0.session.bytes })
        // A session ends, and its group has no image of the other.
        journal.end("a")
        journal.flush()
        #expect(count.withLock { $0 } == 3)
        #expect(try bases(store) == [1])
        #expect(try store.groups(after: 1, bytesMax: .max).map(\.number) == [2, 3])

        journal.storeFound()
        journal.flush()
        #expect(try bases(store) == [4])
        #expect(try store.image(of: 2)?.due == 20)
        let next = try opened(store)
        #expect(next.sessions.names == ["b"])
        #expect(try await next.image(named: "b")?.nodes.first?.state == [2])
    }

    @Test func `a worker that dies before they are written loses nothing`() async throws {
        let store = try store {}
        for round in 0..<3 {
            let journal = try opened(store)
            let image = try #require(try await journal.image(named: "a"))
            #expect(image.nodes.first?.state == [UInt8(2 + round)])
            var record = Record(session: 1)
            record.states = [StateChange(number: 1, whole: [UInt8(3 + round)])]
            journal.append(record, of: SessionLedger(journal: journal, restoring: image))
            journal.flush()
            #expect(try bases(store) == [1, 1])
        }
    }

    @Test func `records from before count when an image is due`() async throws {
        let store = try store {}
        var record = Record(session: 1)
        record.states = [
            StateChange(number: 1, whole: [UInt8](repeating: 7, count: SessionTail.bytesMax))
        ]
        try store.commit(
            JournalCommit(
                .init(number: 3, bytes: RecordFraming.frame([try record.encoded()], number: 3))))
        let journal = try opened(store)
        let image = try #require(try await journal.image(named: "a"))
        let ledger = SessionLedger(journal: journal, restoring: image)
        var next = Record(session: 1)
        next.states = [StateChange(number: 1, whole: [8])]
        journal.append(next, of: ledger)
        journal.flush()
        #expect(try bases(store) == [4, 1])
    }
}
