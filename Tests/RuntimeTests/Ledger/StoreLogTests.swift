// StoreLogTests: a log that lost commits, or belongs to another file, is noticed.

import Foundation
import NapkinCore
import NapkinLedger
import TestSupport
import Testing

struct StoreLogTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }
    private static let frameBytes = 24 + 4096

    private func open(_ name: String = "ledger") throws(StoreError) -> SQLiteStore {
        try SQLiteStore(path: directory(name), durability: .process, logBytes: 64 * 1024).opened()
    }

    /// Commits groups; the first half of them is moved into the database.
    private func write(_ count: GroupNumber, in name: String = "ledger") throws {
        let store = try open(name)
        for number in 1...count {
            let bytes = RecordFraming.frame([[UInt8(number)]], number: number)
            try store.commit(JournalCommit(.init(number: number, bytes: bytes)))
            if number == count / 2 { try store.tidy() }
        }
    }

    private func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private func copy(_ source: String, to target: String) throws {
        unlink(directory(target))
        try FileManager.default.copyItem(atPath: directory(source), toPath: directory(target))
    }

    /// Places in the log: in a page, in a frame's salt and checksum, in the log's own salt and its
    /// order of bytes.
    @Test(arguments: [32 + 6 * 4120 + 1000, 32 + 6 * 4120 + 9, 32 + 6 * 4120 + 18, 17, 3])
    func `commits behind a damaged one are told and kept`(place: Int) throws {
        try write(40)
        var changed = try bytes(of: path + "-wal")
        let database = try bytes(of: path)
        changed[place] ^= 1
        try Data(changed).write(to: URL(filePath: path + "-wal"))
        var newest: GroupNumber = 0
        for count in 1...2 {
            let extent = try open().open()
            if count == 1 { newest = extent.newest }
            #expect(extent.newest == newest)
            #expect(newest >= 20 && newest < 39)
            #expect((extent.damage != nil) == (count == 1))
            let names = extent.damage?.hasSuffix(": \(path).damaged") ?? true
            #expect(names, "\(extent.damage ?? "")")
        }
        #expect(try bytes(of: path + ".damaged") == database)
        #expect(try bytes(of: path + ".damaged-wal") == changed)
        // The next one does not replace it.
        try write(newest + 1...newest + 20)
        var again = try bytes(of: path + "-wal")
        again[32 + 4120 + 1000] ^= 1
        try Data(again).write(to: URL(filePath: path + "-wal"))
        #expect(try open().open().damage?.hasSuffix(": \(path).damaged-2") == true)
    }

    private func write(_ numbers: ClosedRange<GroupNumber>) throws {
        let store = try open()
        try store.tidy()
        for number in numbers {
            let bytes = RecordFraming.frame([[UInt8(number)]], number: number)
            try store.commit(JournalCommit(.init(number: number, bytes: bytes)))
        }
    }

    @Test func `what deaths and power cuts leave is no damage`() throws {
        try write(40)
        try { () throws in
            let large = [UInt8](repeating: 7, count: 20_000)
            let bytes = RecordFraming.frame([large], number: 41)
            try open().commit(JournalCommit(.init(number: 41, bytes: bytes)))
        }()
        let (database, log) = (try bytes(of: path), try bytes(of: path + "-wal"))
        let used = log.lastIndex { $0 != 0 } ?? 0
        let frames = (used - 32) / Self.frameBytes + 1
        func damage(_ change: (inout [UInt8]) -> Void) throws -> String? {
            var log = log
            change(&log)
            try Data(database).write(to: URL(filePath: path))
            try Data(log).write(to: URL(filePath: path + "-wal"))
            return try open().open().damage
        }
        #expect(try damage { _ in } == nil)
        // What a process leaves that was killed right after growing the log.
        #expect(try damage { $0 = [UInt8](repeating: 0, count: 64 * 1024) } == nil)
        // Cut, and the rest cut or zeros.
        for end in [32, 40, 33 + 4120, 32 + (frames - 1) * Self.frameBytes, used] {
            #expect(try damage { $0.removeSubrange(end...) } == nil, "cut at \(end)")
            let zeros = try damage { for place in end..<$0.count { $0[place] = 0 } }
            #expect(zeros == nil, "zeros from \(end)")
        }
        // A frame of the newest commit was not written, and its last one was.
        #expect(try damage { $0[32 + (frames - 2) * Self.frameBytes + 100] ^= 1 } == nil)
        #expect(try damage { $0[32 + (frames - 1) * Self.frameBytes + 100] ^= 1 } == nil)
    }

    @Test func `a log of another file is refused, and not taken for its own`() throws {
        for count: GroupNumber in [1, 10] {
            for name in ["ledger", "other"] {
                unlink(directory(name))
                unlink(directory(name + "-wal"))
            }
            try write(count)
            try write(count + 5, in: "other")
            try copy("other-wal", to: "ledger-wal")
            let error = #expect(throws: StoreError.self) { try open() }
            #expect(error?.code == .damaged)
            #expect(error?.detail.contains("belongs to another file") == true)
            unlink(path + "-wal")
            #expect(try open().open().newest == count / 2)
        }
    }

    @Test func `a restored copy beside the log of the original is refused`() throws {
        try write(10)
        try { () throws in
            let store = try open()
            try store.backUp(to: directory("copy"))
            let bytes = RecordFraming.frame([], number: 11)
            try store.commit(JournalCommit(.init(number: 11, bytes: bytes)))
        }()
        // Both files together are as good as the original.
        try copy("ledger", to: "both")
        try copy("ledger-wal", to: "both-wal")
        #expect(try open("both").open().newest == 11)
        try copy("copy", to: "ledger")
        #expect(throws: StoreError.self) { try open() }
        unlink(path + "-wal")
        #expect(try open().open().newest == 10)
    }

    @Test func `what is not a database is refused, and an empty file is a new one`() throws {
        var randomness = Randomness(seed: 14)
        let noise = (0..<10_000).map { _ in UInt8(truncatingIfNeeded: randomness.next()) }
        for bytes in [noise, [UInt8](repeating: 0, count: 8192), Array("text\n".utf8)] {
            try Data(bytes).write(to: URL(filePath: path))
            #expect(throws: StoreError.self) { try open().open() }
        }
        try Data().write(to: URL(filePath: path))
        #expect(try open().open().newest == 0)
    }

    @Test(arguments: ["reserve", "tidy", "shrink"])
    func `files that are removed are put back before they are used by their names`(
        use: String
    ) throws {
        let store = try open()
        let bytes = RecordFraming.frame([[1]], number: 1)
        try store.commit(JournalCommit(.init(number: 1, bytes: bytes)))
        for end in ["", "-wal"] { unlink(path + end) }
        switch use {
        case "reserve": try store.reserve(1 << 20)
        case "tidy": try store.tidy()
        default: try store.shrink()
        }
        for end in ["", "-wal"] { try copy("ledger" + end, to: "copy" + end) }
        #expect(try open("copy").open().newest == 1)
    }
}
