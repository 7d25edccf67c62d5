// DamagedSessionTests: one session that cannot be read is kept, and the others are served.
//
// Isolation  @MainActor: the journal's.

import Foundation
import NapkinCore
import TestSupport
import Testing

@testable import NapkinLedger

@MainActor
struct DamagedSessionTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }
    private nonisolated static let names = ["a", "b", "c"]

    private func openStore() throws(StoreError) -> SQLiteStore {
        try SQLiteStore(path: path, durability: .process, logBytes: 64 * 1024).opened()
    }

    /// Opens a journal as the next worker would. The loop does not run here, and keeps it.
    private func open(_ store: SQLiteStore) throws -> Journal {
        try Journal(durability: .process, store)
    }

    /// Returns a session's image with a state, and a record that changes it.
    private func session(_ number: SessionNumber) throws -> (SessionImage, Record) {
        let name = Self.names[Int(number) - 1]
        var image = SessionImage(
            session: number, title: SessionTitle(name: name, id: name, epoch: 7))
        var first = Record(session: number)
        first.attached = [
            AttachedNode(
                number: 1, parent: 0, slot: "", feature: "house.\(name)", arguments: [0xF6])
        ]
        first.states = [StateChange(number: 1, whole: [1])]
        try image.apply(first)
        var second = Record(session: number)
        second.states = [StateChange(number: 1, whole: [2])]
        return (image, second)
    }

    /// Writes three sessions, of which the first has no record after its image, and lets a byte of
    /// some images be another.
    private func write(damaging damaged: [String]) throws {
        try { () throws in
            let store = try openStore()
            let sessions = try (1...3).map { try session($0) }
            var commit = JournalCommit(
                .init(number: 1, bytes: RecordFraming.frame([], number: 1)))
            commit.images = try sessions.map { try $0.0.stored(as: 1) }
            try store.commit(commit)
            let records = try sessions.dropFirst().map { try $0.1.encoded() }
            try store.commit(
                JournalCommit(
                    .init(number: 2, bytes: RecordFraming.frame(records, number: 2))))
            try store.tidy()
        }()
        var data = try Data(contentsOf: URL(filePath: path))
        for name in damaged {
            let place = try #require(data.range(of: Data("house.\(name)".utf8)))
            data[place.lowerBound] = UInt8(ascii: "m")
        }
        try data.write(to: URL(filePath: path))
    }

    private func state(_ name: String, in journal: Journal) async throws -> [UInt8]? {
        try await journal.image(named: name)?.nodes.first?.state
    }

    @Test(arguments: [["a"], ["b"], ["a", "b"]])
    func `a session whose image is damaged is named and kept, and the others go on`(
        damaged: [String]
    ) async throws {
        try write(damaging: damaged)
        let store = try openStore()
        for _ in 1...2 {
            let journal = try open(store)
            #expect(journal.sessions.names == Self.names)
            for name in Self.names {
                if damaged.contains(name) {
                    await #expect(throws: ImageError.self) {
                        _ = try await self.state(name, in: journal)
                    }
                } else {
                    #expect(try await state(name, in: journal) == [name == "a" ? 1 : 2])
                }
            }
            // What the first has no record of is found out when it is wanted.
            #expect(Array(journal.damaged.keys) == damaged.filter { $0 == "b" })
            let check = try await journal.tools.verify(problemsMax: 10)
            #expect(check.problems.count == damaged.count, "\(check.problems)")
            for (problem, name) in zip(check.problems, damaged) {
                #expect(problem.hasPrefix("session '\(name)'"), "\(check.problems)")
            }
            // Something is committed beside it.
            let image = try #require(try await journal.image(named: "c"))
            let ledger = SessionLedger(journal: journal, restoring: image)
            ledger.frontJoined(image.newestFront + 1)
            ledger.passivate()
            await journal.waitUntilDurable()
        }
        let journal = try open(store)
        #expect(try await journal.image(named: "c")?.newestFront == 2)
        for name in damaged { journal.end(name) }
        await journal.waitUntilDurable()
        #expect(try await journal.tools.verify(problemsMax: 10).problems.isEmpty)
        #expect(try open(store).sessions.names == Self.names.filter { !damaged.contains($0) })
    }

    @Test func `a group that is damaged keeps only sessions back that may need it`() async throws {
        try write(damaging: [])
        try { () throws in
            // It has an image as of a later group.
            var (image, record) = try session(3)
            try image.apply(record)
            var commit = JournalCommit(.init(number: 3, bytes: RecordFraming.frame([], number: 3)))
            commit.images = [try image.stored(as: 3)]
            let store = try openStore()
            try store.commit(commit)
            try store.tidy()
        }()
        var data = try Data(contentsOf: URL(filePath: path))
        let place = try #require(
            data.range(of: Data(RecordFraming.frame([], number: 2).prefix(12))))
        data[place.upperBound + 20] ^= 1
        try data.write(to: URL(filePath: path))
        let journal = try open(openStore())
        #expect(Set(journal.damaged.keys) == ["a", "b"])
        for reason in journal.damaged.values {
            #expect(reason.hasPrefix("\(path): group 2: "), "\(reason)")
        }
        #expect(try await state("c", in: journal) == [2])
        #expect(try await journal.tools.verify(problemsMax: 10).problems.count == 3)
    }

    @Test func `two sessions of one name or number are damage to the whole`() throws {
        try write(damaging: [])
        var data = try Data(contentsOf: URL(filePath: path))
        // The name in the third row, behind its header, and not in the index.
        let place = try #require(data.range(of: Data("cc".utf8)))
        data[place.lowerBound] = UInt8(ascii: "b")
        try data.write(to: URL(filePath: path))
        #expect(throws: StoreError.self) { try self.open(self.openStore()) }
    }
}
