// SQLiteStoreTests: what is committed to a file is there when it is opened again.

import Foundation
import NapkinCore
import NapkinLedger
import Synchronization
import TestSupport
import Testing

/// Small enough that tests reach its end.
private let smallLog = 256 * 1024

struct SQLiteStoreTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }

    private func open(_ durability: Durability = .process) throws -> SQLiteStore {
        try SQLiteStore(path: path, durability: durability, logBytes: smallLog).opened()
    }

    private func group(_ number: GroupNumber, _ count: Int = 100) -> JournalCommit {
        JournalCommit(
            .init(number: number, bytes: [UInt8](repeating: UInt8(number % 251), count: count)))
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        let error = #expect(throws: StoreError.self) { try body() }
        return error?.code
    }

    @Test func `descriptions are kept, and a file from before there were any gets them`() throws {
        let schema = StoredSchema(number: 1, bytes: [1, 2, 3])
        try { () throws in
            let store = try open()
            var commit = group(1)
            commit.schemas = [schema]
            try store.commit(commit)
        }()
        try sqlite("UPDATE schemas SET bytes=x'010204'")
        #expect(code { _ = try open().schemas() } == .damaged)
        try sqlite("DROP TABLE schemas")
        let store = try open()
        #expect(try store.schemas().isEmpty)
        #expect(try store.open().newest == 1)
    }

    @Test(arguments: [[""], ["-wal"], ["", "-wal"]], [Durability.machine, .process])
    func `files that are removed while they are used are put back`(
        removed: [String], durability: Durability
    ) throws {
        try { () throws in
            let store = try open(durability)
            for number in 1...3 { try store.commit(group(GroupNumber(number))) }
            try store.tidy()
            try store.commit(group(4))
            try store.checkOwnership()
            for end in removed { unlink(path + end) }
            // Nobody has looked yet.
            try store.commit(group(5))
            try store.checkOwnership()
            try store.commit(group(6))
            #expect(try store.open().history == 0)
        }()
        let store = try open(durability)
        #expect(try store.groups(after: 0, bytesMax: .max).map(\.number) == Array(1...6))
        #expect(try store.open().history == 0)
        try store.checkOwnership()
    }

    @Test func `a removed directory is made again, and what cannot be is refused`() throws {
        try FileManager.default.createDirectory(
            atPath: directory("in/it"), withIntermediateDirectories: true)
        let store = try SQLiteStore(path: directory("in/it/ledger"), durability: .process).opened()
        try store.commit(group(1))
        try FileManager.default.removeItem(atPath: directory("in"))
        try Data().write(to: URL(filePath: directory("in")))
        #expect(code { try store.checkOwnership() } == .full)
        try store.commit(group(2))
        try FileManager.default.removeItem(atPath: directory("in"))
        try store.checkOwnership()
        try store.commit(group(3))
        #expect(try store.groups(after: 0, bytesMax: .max).map(\.number) == [1, 2, 3])
        #expect(FileManager.default.fileExists(atPath: directory("in/it/ledger")))
    }

    @Test func `a file that is put in place of a used one stays, and that one is kept`() throws {
        try { () throws in
            let store = try open()
            try store.commit(group(1))
            try store.backUp(to: directory("copy"))
            try store.commit(group(2))
            rename(directory("copy"), path)
            #expect(code { try store.checkOwnership() } == .failed)
        }()
        #expect(try open().open().newest == 1)
        let former = try SQLiteStore(path: path + ".former", durability: .process).opened()
        #expect(try former.open().newest == 2)
    }

    @Test func `when images are due is known of those that are as they were then`() throws {
        func dueTimes() throws -> [SessionNumber: Int64?] {
            Dictionary(try open().dueTimes().map { ($0.session, $0.due) }) { $1 }
        }
        try { () throws in
            let store = try open()
            var commit = group(1)
            commit.images = (1...5).map {
                StoredImage(
                    session: $0, name: "s\($0)", base: 1, bytes: [1],
                    due: [nil, -7, 1000, .max, 5][Int($0) - 1])
            }
            try store.commit(commit)
            var later = group(2)
            later.ended = [5]
            try store.commit(later)
        }()
        #expect(try dueTimes() == [1: nil, 2: 1, 3: 1000, 4: .max])
        try sqlite(
            "UPDATE dues SET due=7 WHERE session=2; UPDATE sessions SET base=2 WHERE session=3")
        #expect(try dueTimes() == [1: nil, 4: .max])
        try sqlite("DROP TABLE dues")
        #expect(try dueTimes() == [:])
    }

    @Test func `a store that failed says so again, and what it had is there`() throws {
        try { () throws in
            let store = try open()
            var commit = group(1)
            commit.images = [StoredImage(session: 1, name: "s", base: 0, bytes: [1])]
            try store.commit(commit)
            var twice = group(2)
            twice.images = [StoredImage(session: 2, name: "s", base: 0, bytes: [1])]
            #expect(code { try store.commit(twice) } == .failed)
            #expect(code { try store.commit(self.group(2)) } == .failed)
            #expect(code { _ = try store.open().newest } == .failed)
        }()
        #expect(try open().open().newest == 1)
    }

    @Test func `a group out of order is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryDirectory()
            let store = try SQLiteStore(path: directory("l"), durability: .process).opened()
            // Nobody does when the process has ended here.
            try FileManager.default.removeItem(atPath: directory.path)
            try store.commit(JournalCommit(.init(number: 2, bytes: [])))
        }
    }

    // MARK: - The files

    @Test func `the files are the owner's, and the log is as large as it is used`() throws {
        func attributes(_ path: String) throws -> (mode: Int, size: Int) {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.posixPermissions] as! Int, attributes[.size] as! Int)
        }
        let store = try SQLiteStore(path: path, durability: .process).opened()
        for file in [path, path + "-wal"] { #expect(try attributes(file).mode == 0o600) }
        #expect(try attributes(path + "-wal").size == SQLiteStore.firstLogBytes)
        for number in 1...GroupNumber(100) {
            try store.commit(group(number, 300_000))
            try store.reserve(300_000)
        }
        #expect(try attributes(path + "-wal").size == SQLiteStore.logBytes)
        try store.shrink()
        #expect(try attributes(path + "-wal").size < 16 * 1024)
        // It goes on, and is not tidied for each commit.
        try store.reserve(300_000)
        try store.commit(group(101, 300_000))
        #expect(try attributes(path + "-wal").size >= 300_000)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }

    @Test(arguments: ["", "name", "./name"])
    func `a path that is not absolute is refused`(path: String) {
        #expect(code { _ = try SQLiteStore(path: path, durability: .process).opened() } == .failed)
    }

    @Test func `a file that is not ours alone is refused`() throws {
        _ = try open()
        for mode in [0o620, 0o602] as [mode_t] {
            chmod(path, mode)
            #expect(code { _ = try self.open() } == .failed)
        }
        chmod(path, 0o600)
        _ = try open()
        symlink(path, directory("link"))
        #expect(
            code { _ = try SQLiteStore(path: directory("link"), durability: .process).opened() }
                == .failed)
        #expect(
            code { _ = try SQLiteStore(path: directory.path, durability: .process).opened() }
                == .failed
        )
        #expect(
            code { _ = try SQLiteStore(path: directory("no/l"), durability: .process).opened() }
                == .failed)
    }

    @Test(.enabled(if: geteuid() == 0)) func `a file of another user is refused`() throws {
        _ = try open()
        chown(path, 4321, 4321)
        #expect(code { _ = try self.open() } == .failed)
    }

    @Test(.enabled(if: geteuid() != 0)) func `a file that may not be read is refused`() throws {
        _ = try open()
        chmod(path, 0)
        #expect(code { _ = try self.open() } == .failed)
    }

    @Test func `a second store on the file is busy`() throws {
        let store = try open()
        #expect(code { _ = try self.open() } == .busy)
        try store.commit(group(1))
    }

    @Test func `who holds the file for a moment is waited for`() async throws {
        _ = try open()
        let reader = try Child(
            "/usr/bin/env",
            [
                "python3", "-c",
                "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN'); "
                    + "print(c.execute('SELECT count(*) FROM meta').fetchall(), flush=True); "
                    + "time.sleep(0.3)", path,
            ])
        _ = try await reader.line { $0.hasPrefix("[") }
        _ = try open()
        #expect(await reader.exit() == 0)
    }

    /// Runs statements in the file by another program.
    private func sqlite(_ text: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import sqlite3, sys; "
                + "c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()",
            path, text,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test func `a newer version is refused, and another program's file`() throws {
        _ = try open()
        try sqlite("PRAGMA user_version=2")
        #expect(code { _ = try self.open() } == .version)
        try sqlite("PRAGMA user_version=1; CREATE TABLE mine(a)")
        _ = try open()
        try sqlite("PRAGMA application_id=1")
        #expect(code { _ = try self.open() } == .damaged)
        try sqlite("PRAGMA application_id=\(0x4E4B_4C47); DROP TABLE groups")
        #expect(code { _ = try self.open() } == .damaged)
        unlink(path)
        unlink(path + "-wal")
        try sqlite("CREATE TABLE mine(a)")
        #expect(code { _ = try self.open() } == .damaged)
    }

    // MARK: - Room

    @Test func `what is reserved is enough for what is committed`() throws {
        let store = try SQLiteStore(path: path, durability: .process, logBytes: 4096).opened()
        var randomness = Randomness(seed: 4)
        for number in 1...GroupNumber(300) {
            let size = randomness.below(randomness.percent(10) ? 200_000 : 2000)
            var commit = group(number, size)
            commit.images = (0..<randomness.below(30)).map { _ in
                let session = UInt64(randomness.below(200))
                return StoredImage(
                    session: session, name: "s\(session)", base: 0,
                    bytes: [UInt8](repeating: 1, count: randomness.below(9000)))
            }
            if randomness.percent(5) { commit.trimmed = number }
            let room = commit.images.reduce(size) { $0 + max($1.bytes.count, 8192) }
            try store.reserve(room)
            let before = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            try store.commit(commit)
            let after = try FileManager.default.attributesOfItem(atPath: path + "-wal")
            #expect(before[.size] as? Int == after[.size] as? Int)
        }
    }

    // MARK: - Copies

    @Test func `copies that are made while commits go on are whole`() async throws {
        let store = try open()
        let newest = Mutex<GroupNumber>(0)
        let isOver = Atomic(false)
        let writer = Task.detached {
            var number: GroupNumber = 0
            while !isOver.load(ordering: .relaxed) {
                number += 1
                var commit = self.group(number, 3000)
                commit.images = [
                    StoredImage(session: 1, name: "s", base: number, bytes: [UInt8(number % 251)])
                ]
                try store.commit(commit)
                newest.withLock { $0 = number }
            }
        }
        for round in 0..<5 {
            let before = newest.withLock { $0 }
            let copy = directory("copy\(round)")
            try store.backUp(to: copy)
            #expect(code { try store.backUp(to: copy) } == .exists)
            let opened = try SQLiteStore(path: copy, durability: .machine, logBytes: smallLog)
                .opened()
            let last = try opened.open().newest
            #expect(last >= before)
            #expect(try opened.groups(after: 0, bytesMax: .max).count == Int(last))
            #expect(try opened.image(of: 1)?.base ?? 0 == last)
            try opened.commit(group(last + 1))
        }
        isOver.store(true, ordering: .relaxed)
        try await writer.value
        #expect(!FileManager.default.fileExists(atPath: directory("copy0.partial")))
    }
}
