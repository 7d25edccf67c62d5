// ManySessionsTests: what a worker does at its start does not grow with what is stored.
//
// Isolation  @MainActor: the journal's.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinLedger

@MainActor
struct ManySessionsTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }

    private func open() throws -> Journal {
        try Journal(
            durability: .process, SQLiteStore(path: path, durability: .process))
    }

    /// Stores sessions with a state, of which each tenth has a timer.
    private func fill(_ count: UInt64) throws {
        let store = try SQLiteStore(path: path, durability: .process).opened()
        var commit = JournalCommit(.init(number: 1, bytes: RecordFraming.frame([], number: 1)))
        for number in 1...count {
            var image = SessionImage(
                session: number,
                title: SessionTitle(name: "s\(number)", id: "s\(number)", epoch: 7))
            var record = Record(session: number)
            record.attached = [
                AttachedNode(
                    number: 1, parent: 0, slot: "launch", feature: "house.root", arguments: [0xF6])
            ]
            record.states = [
                StateChange(number: 1, whole: [UInt8](repeating: 7, count: 1500))
            ]
            if number.isMultiple(of: 10) {
                record.timers = [
                    TimerImage(
                        id: 1, node: 1, name: "tea", due: Int64(number), missed: 0, payload: [])
                ]
            }
            try image.apply(record)
            commit.images.append(try image.stored(as: 1))
        }
        try store.reserve(commit.roomBytes)
        try store.commit(commit)
    }

    @Test func `the times of 10,000 stored sessions are known without their images`() async throws {
        try fill(10_000)
        let clock = ContinuousClock()
        /// Opens the journal, and returns how long that took, and how long it took to know when
        /// the first session is due.
        func measured(due: Int64) async throws -> (opened: Duration, known: Duration) {
            let start = clock.now
            let journal = try open()
            let opened = clock.now
            await journal.scheduler.find(in: journal)
            let known = clock.now
            #expect(journal.scheduler.earliest == due)
            journal.scheduler.stop()
            return (opened - start, known - opened)
        }
        let times = try await measured(due: 10)
        // Without what is beside them, the images are read, as far as they can be.
        try SQLiteConnection(path: path).run(
            "DELETE FROM dues; UPDATE sessions SET bytes=x'00' WHERE session=10")
        let others = try await measured(due: 20)
        print(
            "ledger: 10,000 sessions opened in \(times.opened), their times known in "
                + "\(times.known), and from their images in \(others.known)")
    }

    @Test func `what an image says is not asked for where it is known`() async throws {
        try { () throws in
            let store = try SQLiteStore(path: path, durability: .process).opened()
            var commit = JournalCommit(.init(number: 1, bytes: RecordFraming.frame([], number: 1)))
            commit.images = (1...3).map {
                StoredImage(
                    session: $0, name: "s\($0)", base: 1, bytes: [0xFF],
                    due: $0 == 2 ? 5 : nil)
            }
            try store.commit(commit)
        }()
        let journal = try open()
        await journal.scheduler.find(in: journal)
        #expect(journal.scheduler.earliest == 5)
        journal.scheduler.stop()
    }
}
