// StoreOriginTests: a journal that may be older than what was told of it has another history.
//
// Isolation  @MainActor: the journal's.

import Foundation
import NapkinCore
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinLedger

@MainActor
struct StoreOriginTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }

    private func open(
        _ durability: Durability = .process, isAsLeft: Bool? = nil
    ) throws -> SQLiteStore {
        try SQLiteStore(
            path: path, durability: durability, logBytes: 64 * 1024, isAsLeft: isAsLeft
        ).opened()
    }

    /// The history that an opening finds, which is closed again.
    private func history(_ durability: Durability = .process, isAsLeft: Bool? = nil) throws
        -> UInt32
    {
        try open(durability, isAsLeft: isAsLeft).open().history
    }

    /// Copies the two files under another name, as `cp` does.
    private func copy(_ from: String, _ to: String) throws {
        for end in ["", "-wal"] {
            let data = try Data(contentsOf: URL(filePath: directory(from + end)))
            try data.write(to: URL(filePath: directory(to + end)))
            chmod(directory(to + end), 0o600)
        }
    }

    private func remove(_ name: String) {
        for end in ["", "-wal"] { unlink(directory(name + end)) }
    }

    /// Changes the file while nobody has it open.
    private func change(_ body: (SQLiteConnection) throws -> Void) throws {
        let connection = try SQLiteConnection(path: path)
        _ = try StoreFormat.open(connection, syncsCommits: false)
        try body(connection)
    }

    @Test(arguments: [Durability.machine, .process])
    func `a new journal, one that goes on, and one from before there were histories keep theirs`(
        durability: Durability
    ) throws {
        for isAsLeft in [nil, nil, true] as [Bool?] {
            #expect(try history(durability, isAsLeft: isAsLeft) == 0)
        }
        try change { try $0.run("DROP TABLE origin") }
        for _ in 1...2 { #expect(try history(durability) == 0) }
    }

    @Test func `a copy in the place of the file has another history, which then stays`() throws {
        var known: Set<UInt32> = [try history()]
        func isNew(_ isAsLeft: Bool? = nil) throws {
            let found = try history(isAsLeft: isAsLeft)
            #expect(known.insert(found).inserted)
            #expect(try history() == found)
        }
        // A copy of the files, also one that gets the inode of the removed one.
        try copy("ledger", "copy")
        remove("ledger")
        try copy("copy", "ledger")
        try isNew()
        // The same, renamed.
        try copy("copy", "other")
        for end in ["", "-wal"] { rename(directory("other" + end), path + end) }
        try isNew()
        // A backup, written into the file that is there: the file is the same.
        try { () throws in try open().backUp(to: directory("backup")) }()
        let backup = try Data(contentsOf: URL(filePath: directory("backup")))
        unlink(path + "-wal")
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: backup)
        try file.close()
        try isNew()
        // Files that are not as the last worker has left them.
        try isNew(false)
        // A row that was altered, or is there twice.
        try change { try $0.run("UPDATE origin SET birth = birth + 1") }
        try isNew()
        try change { try $0.run("INSERT INTO origin SELECT * FROM origin") }
        try isNew()
    }

    @Test func `a reboot without an end in good order may have taken what was not synced`() throws {
        func reboot() throws {
            try change { connection in
                var origin = try #require(try StoreOrigin.stored(on: connection))
                origin.boot += 1
                try origin.write(to: connection)
            }
        }
        #expect(try history() == 0)
        try reboot()
        #expect(try history(.machine) == 0)
        try reboot()
        #expect(try history(isAsLeft: true) == 0)
        try reboot()
        let next = try history()
        #expect(next != 0)
        #expect(try history() == next)
    }

    @Test func `each history has other epochs, and the first has those that are stored`() throws {
        let store = MemoryStore()
        let journal = try Journal(durability: .process, store)
        func epochs(_ history: UInt32) -> [UInt32] {
            ([1, 7, UInt32.max] as [UInt32]).map {
                journal.epoch(of: SessionTitle(name: "a", id: "a", epoch: $0), in: history)
            }
        }
        #expect(epochs(0) == [1, 7, .max])
        #expect(epochs(1) == [2, 8, 1])
        #expect(epochs(.max - 1) == [.max, 6, .max - 1])
    }

    @Test func `a quiet session beside a busy one is shown, and what it records meanwhile`()
        async throws
    {
        let store = MemoryStore()
        var commit = JournalCommit(.init(number: 1, bytes: RecordFraming.frame([], number: 1)))
        commit.images = [
            try SessionImage(session: 1, title: SessionTitle(name: "quiet", id: "q", epoch: 7))
                .stored(as: 1)
        ]
        try store.commit(commit)
        for number in 2...GroupNumber(40) {
            var commit = JournalCommit(
                .init(number: number, bytes: RecordFraming.frame([], number: number)))
            commit.trimmed = number - 1
            try store.commit(commit)
        }
        let journal = try Journal(durability: .process, store)
        let history = try #require(try await journal.tools.history(of: "quiet"))
        #expect(history.oldest == 1 && history.entries.isEmpty)
        let ledger = SessionLedger(journal: journal, restoring: history.image)
        var record = Record(session: 1)
        record.fronts = [FrontChange(front: 1, started: 0)]
        journal.append(record, of: ledger)
        let next = try #require(try await journal.tools.history(of: "quiet"))
        #expect(next.entries.map(\.group) == [41] && next.newest == 41)
    }
}
