// PostgresStoreTests: machines that share a journal in a database, and databases that are refused.

import Foundation
import NapkinCore
import TestSupport
import Testing

@testable import NapkinLedger

struct PostgresStoreTests {
    private let database = TestDatabase()

    private func group(_ number: GroupNumber) -> JournalCommit {
        JournalCommit(.init(number: number, bytes: [UInt8(number)]))
    }

    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self) { try body() }
    }

    // MARK: - The owner

    /// A step of a journal's life. Times are in milliseconds.
    private enum Step {
        case acquire(String, epoch: UInt64?)
        case renew(UInt64, Bool)
        case release(UInt64, Bool)
        case admit(UInt64, Bool)
        case pass(Int64)
    }

    /// Each rule, in the pure machine and on a server.
    private static let lives: [[Step]] = [
        [.acquire("a", epoch: 1), .admit(1, true), .admit(0, false), .admit(2, false)],
        [.acquire("a", epoch: 1), .acquire("b", epoch: nil), .admit(1, true)],
        [.acquire("a", epoch: 1), .acquire("a", epoch: 2), .admit(1, false), .admit(2, true)],
        [
            .acquire("a", epoch: 1), .pass(4900), .acquire("b", epoch: nil), .pass(200),
            .admit(1, true), .acquire("b", epoch: 2), .admit(1, false), .renew(1, false),
            .release(1, false), .acquire("a", epoch: nil), .admit(2, true),
        ],
        [
            .acquire("a", epoch: 1), .pass(3000), .renew(1, true), .pass(3000),
            .acquire("b", epoch: nil),
        ],
        [
            .acquire("a", epoch: 1), .release(1, true), .admit(1, true), .acquire("b", epoch: 2),
            .admit(1, false),
        ],
        [.acquire("a", epoch: 1), .release(1, true), .renew(1, true), .acquire("b", epoch: nil)],
    ]

    @Test(arguments: lives.indices)
    func `the owner's rules hold, and the server's statements are the same`(life: Int) throws {
        let connection = try database.connection()
        var (owner, now) = (OwnerRules(), Int64(1_000_000))
        let journal = PostgresValue.text("tally")
        _ = try connection.rows(JournalOwner.create, [journal])
        func epoch(_ statement: String, _ epoch: UInt64) throws -> Bool {
            try connection.rows(statement, [journal, .number(epoch)]).count == 1
        }
        for step in Self.lives[life] {
            switch step {
            case .pass(let time):
                now += time
                try connection.run(
                    "UPDATE napkin.owner SET expires = expires - interval '\(time) ms'")
            case .acquire(let machine, let expected):
                let got = owner.acquire(for: machine, at: now)
                #expect(got == expected.map { .acquired(epoch: $0) } ?? .busy(owner.expires - now))
                let rows = try connection.rows(
                    JournalOwner.acquire, [journal, .text(machine), .text("address")])
                #expect(try (rows.count == 0 ? nil : rows.number(0, 0)) == expected)
            case .renew(let number, let expected):
                #expect(owner.renew(number, at: now) == expected)
                #expect(try epoch(JournalOwner.renew, number) == expected)
            case .release(let number, let expected):
                #expect(owner.release(number, at: now) == expected)
                #expect(try epoch(JournalOwner.release, number) == expected)
            case .admit(let number, let expected):
                #expect(owner.admits(number) == expected)
                #expect(try epoch(JournalOwner.admit, number) == expected)
            }
        }
    }

    @Test func `another machine is refused until the lease is over, and is told who has it`() throws
    {
        let (one, two) = (database.store("one"), database.store("two"))
        try one.commit(group(1))
        // Longer than a worker waits.
        try database.run("UPDATE napkin.owner SET expires = now() + interval '1 min'")
        let refusal = error { try two.open() }
        #expect(refusal?.code == .busy)
        #expect(refusal?.detail.hasPrefix("one has it; ") == true)
        try database.run("UPDATE napkin.owner SET expires = now()")
        let next = database.store("two")
        #expect(try next.open().newest == 1)
        // It reads what is there, and may not write.
        #expect(error { try one.commit(group(2)) }?.detail.contains("another machine") == true)
        #expect(error { try one.checkOwnership() }?.detail.contains("another machine") == true)
        try next.commit(group(2))
        #expect(try next.groups(after: 0, bytesMax: .max).map(\.bytes) == [[1], [2]])
    }

    @Test func `no part of a commit happens under an old epoch`() throws {
        let one = database.store("one")
        var first = group(1)
        first.images = [StoredImage(session: 1, name: "a", base: 1, bytes: [1])]
        try one.commit(first)
        try database.run("UPDATE napkin.owner SET epoch = 7")
        var second = group(2)
        second.images = [
            StoredImage(session: 1, name: "b", base: 2, bytes: [2]),
            StoredImage(session: 2, name: "c", base: 2, bytes: [3]),
        ]
        second.schemas = [StoredSchema(number: 1, bytes: [9])]
        second.trimmed = 1
        #expect(error { try one.commit(second) }?.code == .takenOver)
        let next = database.store("one")
        #expect(try next.open().newest == 1 && next.open().trimmed == 0)
        #expect(try next.sessions().map(\.name) == ["a"])
        #expect(try next.schemas().isEmpty)
    }

    @Test func `a journal that was released is another machine's at once, until it is used again`()
        throws
    {
        let one = database.store("one")
        try one.commit(group(1))
        try one.shrink()
        try one.checkOwnership()
        let two = database.store("two")
        #expect(try two.open().newest == 1)
        #expect(error { try one.commit(group(2)) }?.detail.contains("another machine") == true)
        // Nothing is stored, so nothing is noted.
        #expect(PostgresStore.hasNote(of: database.file("two")))
        try two.shrink()
        #expect(!PostgresStore.hasNote(of: database.file("two")))
    }

    // MARK: - Histories

    @Test func `a journal goes on in its history on any machine, and a restored one does not`()
        throws
    {
        func history(_ machine: String, releases: Bool = true) throws -> UInt32 {
            let store = database.store(machine)
            let history = try store.open().history
            try store.commit(group(try store.open().newest + 1))
            if releases { try store.shrink() }
            return history
        }
        // A note without sessions is removed.
        try database.run(
            "INSERT INTO napkin.sessions VALUES ('tally', 9, 'kept', 'kept', 0, 0, 0, '')")
        let first = try history("one")
        #expect(try first != 0 && history("one") == first && history("two") == first)
        #expect(try history("one") == first)
        // Groups are missing that this machine has committed.
        try database.run(
            "DELETE FROM napkin.groups WHERE number >= 3; UPDATE napkin.journals SET newest = 2")
        let second = try history("one")
        #expect(second != first)
        #expect(try history("two") == second)
        // Other tables, as pg_restore makes them.
        try database.run("UPDATE napkin.journals SET origin = 'another'")
        #expect(try history("one") != second)
        // The same, but this machine was the owner, and knows that nothing is missing.
        let third = try history("one", releases: false)
        try database.run("UPDATE napkin.journals SET origin = 'another'")
        #expect(try history("one") == third)
        // An owner is forgotten with what it had.
        try database.run("UPDATE napkin.owner SET epoch = 1")
        #expect(try history("one") != third)
    }

    // MARK: - Databases

    @Test func `a database without tables, of another version or cluster says what to do`() throws {
        let bare = TestDatabase(isMigrated: false)
        #expect(error { try bare.store().open() }?.detail.contains("ledger migrate") == true)
        #expect(try PostgresStore.migrate(database: bare.string, cluster: "other").isNew)
        let again = try PostgresStore.migrate(database: bare.string, cluster: "third")
        #expect(again.cluster == "other" && !again.isNew)
        try database.store().open()
        let other = PostgresStore(
            database: bare.string, journal: "tally", file: database.file(), address: "one",
            durability: .machine)
        #expect(error { try other.open() }?.detail.contains("cluster other") == true)
        try bare.run("UPDATE napkin.meta SET value = '3' WHERE key = 'format'")
        #expect(error { try bare.store().open() }?.code == .version)
        try bare.run("DELETE FROM napkin.meta")
        #expect(error { try bare.store().open() }?.code == .damaged)
    }

    @Test(arguments: ["off", "local", "remote_write"])
    func `a database that does not sync keeps nothing for a power cut`(level: String) throws {
        let name = database.string.split(separator: "=").last ?? ""
        try database.run("ALTER DATABASE \(name) SET synchronous_commit = '\(level)'")
        let refusal = error { try database.store("one", .machine).open() }
        #expect(refusal?.detail.contains("synchronous_commit is \(level)") == true)
        try database.store("one", .process).commit(group(1))
    }

    @Test func `a read-only database, and one that is away, are named`() throws {
        let name = database.string.split(separator: "=").last ?? ""
        let store = database.store()
        try store.commit(group(1))
        try database.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        #expect(error { try database.store().open() }?.detail.contains("read-only") == true)
        let away = PostgresStore(
            database: "host=/nowhere dbname=none", journal: "tally", file: database.file("away"),
            address: "away", durability: .process)
        #expect(error { try away.open() }?.code == .unreachable)
    }

    @Test func `what a database warns of is not done for certain`() throws {
        let warning = "DO $$ BEGIN RAISE WARNING 'not everywhere'; END $$"
        #expect(error { try database.run(warning) }?.detail.contains("warned") == true)
    }

    @Test func `a commit without an answer ends the store, and the next one reads what is there`()
        throws
    {
        let server = try PostgresServer()
        let database = TestDatabase(on: server)
        let store = database.store()
        try store.commit(group(1))
        server.stop()
        let failure = error { try store.commit(group(2)) }
        #expect(failure?.detail.contains("the connection was lost") == true)
        try server.start()
        #expect(error { try store.commit(group(2)) } == failure)
        let next = database.store()
        #expect(try next.open().newest == 1)
        try next.commit(group(2))
    }

    @Test func `a server that hangs is given up, and what it was told may have happened`() throws {
        let connection = try PostgresConnection(
            database.string, path: "test", silence: .milliseconds(200))
        let failure = error { try connection.run("SELECT pg_sleep(10)") }
        #expect(failure?.detail.contains("whether the statement took effect") == true)
        // Statements that say something in time are not.
        let patient = try PostgresConnection(
            database.string, path: "test", silence: .seconds(30))
        try patient.run("SELECT pg_sleep(0.3)")
    }

    @Test func `a large commit is a transaction, of which all takes effect or nothing`() throws {
        func commit(_ count: Int, _ number: GroupNumber) -> JournalCommit {
            var commit = group(number)
            commit.images = (1...count).map {
                StoredImage(
                    session: SessionNumber($0), name: "s\($0)", base: number,
                    bytes: [UInt8](repeating: UInt8(number), count: 20 << 20))
            }
            commit.ended = [1]
            return commit
        }
        #expect(commit(3, 1).pieces.map(\.images.count) == [1, 1, 1])
        #expect(commit(3, 1).pieces.map { $0.group?.number } == [nil, nil, 1])
        let store = database.store()
        try store.commit(commit(3, 1))
        #expect(try store.sessions().map(\.session) == [2, 3])
        // The last piece is refused.
        try database.run(
            """
            CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no'; END $$;
            CREATE TRIGGER t BEFORE INSERT ON napkin.groups
                FOR EACH ROW EXECUTE FUNCTION taken()
            """)
        #expect(error { try store.commit(commit(3, 2)) }?.code == .failed)
        try database.run("DROP TRIGGER t ON napkin.groups")
        let next = database.store()
        #expect(try next.open().newest == 1)
        #expect(try next.image(of: 2)?.base == 1)
    }

    @Test func `damage is named, and other sessions are read`() throws {
        let store = database.store()
        var commit = group(1)
        commit.images = (1...2).map {
            StoredImage(session: $0, name: "s\($0)", base: 1, bytes: [UInt8($0)])
        }
        try store.commit(commit)
        try store.commit(group(2))
        try store.commit(group(3))
        try database.run("UPDATE napkin.sessions SET bytes = 'x' WHERE session = 1")
        #expect(error { _ = try store.image(of: 1) }?.code == .damaged)
        #expect(try store.image(of: 2)?.bytes == [2])
        try database.run("DELETE FROM napkin.groups WHERE number = 2")
        #expect(try store.groups(after: 0, bytesMax: 1).map(\.number) == [1])
        #expect(error { _ = try store.groups(after: 1, bytesMax: .max) }?.code == .damaged)
        #expect(error { try database.store().open() }?.code == .damaged)
    }
}
