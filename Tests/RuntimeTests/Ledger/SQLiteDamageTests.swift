// SQLiteDamageTests: a damaged file gives an error with a name, or what was committed.

import Foundation
import NapkinCore
import NapkinLedger
import TestSupport
import Testing

struct SQLiteDamageTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory("ledger") }
    private static let logBytes = 64 * 1024

    /// What the undamaged store has; the groups' records by number.
    private static let newest: GroupNumber = 60
    private static let trimmed: GroupNumber = 12

    private static func record(_ number: GroupNumber) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: number % 9 == 0 ? 9000 : 300)
    }

    private static func image(_ session: SessionNumber, _ base: GroupNumber) -> StoredImage {
        StoredImage(
            session: session, name: "session \(session)", base: base,
            bytes: [UInt8](repeating: UInt8(base), count: session % 2 == 0 ? 6000 : 50))
    }

    private func open() throws(StoreError) -> SQLiteStore {
        try SQLiteStore(path: path, durability: .process, logBytes: Self.logBytes).opened()
    }

    /// Writes the store, and returns the bytes of database and log. If it was tidied, all is in the
    /// database.
    private func write(isTidy: Bool) throws -> (database: [UInt8], log: [UInt8]) {
        try { () throws in
            let store = try open()
            for number in 1...Self.newest {
                let bytes = RecordFraming.frame([Self.record(number)], number: number)
                var commit = JournalCommit(.init(number: number, bytes: bytes))
                if number <= 20 { commit.images = [Self.image(number, number)] }
                if number == 30 { commit.ended = [3] }
                if number == 40 { commit.trimmed = Self.trimmed }
                try store.commit(commit)
                if number == 35 { try store.tidy() }
            }
            if isTidy { try store.tidy() }
        }()
        return (try bytes(of: path), try bytes(of: path + "-wal"))
    }

    private func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    private func put(_ database: [UInt8], _ log: [UInt8]?) throws {
        unlink(path)
        unlink(path + "-wal")
        unlink(path + "-journal")
        try Data(database).write(to: URL(filePath: path))
        try Data(log ?? []).write(to: URL(filePath: path + "-wal"))
        if log == nil { unlink(path + "-wal") }
    }

    /// Opens and reads all of it. Returns the newest group, or `nil` after an error; what is read
    /// must be what was written, up to some group.
    @discardableResult
    private func read(_ what: String) throws -> GroupNumber? {
        do {
            let store = try open()
            let newest = try store.open().newest
            #expect(newest <= Self.newest, "\(what)")
            let groups = try store.groups(after: 0, bytesMax: .max)
            for group in groups {
                let records = try RecordFraming.records(in: group.bytes, number: group.number)
                #expect(records == [Self.record(group.number)], "\(what)")
            }
            let first = newest >= 40 ? Self.trimmed + 1 : 1
            let expected = newest == 0 ? [] : Array(first...newest)
            #expect(groups.map(\.number) == expected, "\(what)")
            let sessions = try store.sessions()
            let living = (0...20).filter { $0 > 0 && $0 <= newest && ($0 != 3 || newest < 30) }
            for session in sessions.map(\.session) {
                #expect(
                    try store.image(of: session) == Self.image(session, session), "\(what)")
            }
            #expect(sessions.map(\.session) == living.map { UInt64($0) }, "\(what)")
            return newest
        } catch let error as StoreError {
            #expect(error.code != .busy && error.code != .full, "\(what): \(error)")
            return nil
        } catch is RecordError {
            return nil
        }
    }

    @Test(arguments: [true, false]) func `bytes changed in the database are noticed`(isTidy: Bool)
        throws
    {
        let (database, log) = try write(isTidy: isTidy)
        #expect(try read("undamaged") == Self.newest)
        var randomness = Randomness(seed: 11)
        var harmless = 0
        // Each byte of the header and of the first page's tables, then others at random.
        let places = Array(0..<108) + (0..<300).map { _ in randomness.below(database.count) }
        for place in places {
            var changed = database
            changed[place] ^= 1 << UInt8(randomness.below(8))
            try put(changed, isTidy ? nil : log)
            if try read("byte \(place)") != nil { harmless += 1 }
        }
        #expect(harmless < places.count)
    }

    @Test(arguments: [true, false]) func `a database that is cut is noticed`(isTidy: Bool) throws {
        let (database, log) = try write(isTidy: isTidy)
        var randomness = Randomness(seed: 12)
        let ends =
            [0, 1, 15, 16, 99, 100, 4095, 4096, 4097]
            + (0..<100).map { _ in randomness.below(database.count) }
        for end in ends {
            for log in [log, nil] where isTidy || log != nil {
                try put(Array(database[..<end]), log)
                let newest = try read("cut at \(end)")
                if end > 0, isTidy, log == nil { #expect(newest == nil, "cut at \(end)") }
                if end == 0, log != nil { #expect(newest == nil, "a log without a database") }
            }
        }
    }

    @Test func `a log that is cut or changed gives what was committed before`() throws {
        let (database, log) = try write(isTidy: false)
        var randomness = Randomness(seed: 13)
        for _ in 0..<200 {
            let place = randomness.below(log.count)
            var changed = log
            if randomness.percent(50) {
                changed.removeSubrange(place...)
            } else {
                changed[place] ^= 1 << UInt8(randomness.below(8))
            }
            try put(database, changed)
            let newest = try read("log at \(place)")
            #expect(newest ?? 35 >= 35)
        }
    }

    @Test func `a log that is missing gives what was tidied before`() throws {
        let (database, _) = try write(isTidy: false)
        try put(database, nil)
        #expect(try read("no log") == 35)
        // What a process that was killed right after growing the log leaves.
        try put(database, [UInt8](repeating: 0, count: Self.logBytes))
        #expect(try read("zeros") == 35)
    }

    @Test func `what is not a database is refused, and an empty file is a new one`() throws {
        var randomness = Randomness(seed: 14)
        let noise = (0..<10_000).map { _ in UInt8(truncatingIfNeeded: randomness.next()) }
        for bytes in [noise, [UInt8](repeating: 0, count: 8192), Array("text\n".utf8)] {
            try put(bytes, nil)
            #expect(try read("not a database") == nil)
        }
        try put([], nil)
        #expect(try read("empty") == 0)
    }
}
