// ClusterDirectoryTests: what machines learn of one another, and of sessions, from a database.

import Foundation
import NapkinCore
import Testing

@testable import NapkinLedger

struct ClusterDirectoryTests {
    private typealias Machine = ClusterDirectory.Machine
    private typealias Owner = ClusterDirectory.Owner

    private let database = TestDatabase()
    private let asked: ClusterDirectory.Questions

    init() throws {
        asked = ClusterDirectory.Questions(
            connection: try database.connection(), cluster: "test")
    }

    private func machine(_ name: String) -> Machine {
        Machine(name: name, host: "ssh://\(name)", socket: "/\(name)")
    }

    /// Stores a session in the journal `tally`, as the machine `one`.
    private func store(_ name: String, due: UInt64? = nil) throws {
        let store = database.store()
        try store.open()
        var commit = JournalCommit()
        commit.images = [StoredImage(session: 1, name: name, id: "id", base: 0, bytes: [0])]
        commit.due = due
        try store.commit(commit)
    }

    private func endLease() throws { try database.run("UPDATE napkin.owner SET expires = now()") }

    @Test func `machines hear of one another, and a name has one machine`() throws {
        let (one, two) = (machine("one"), machine("two"))
        #expect(try asked.report(one, at: "h:/one") == [one])
        #expect(try asked.report(two, at: "h:/two") == [one, two])
        let twin = #expect(throws: StoreError.self) { try asked.report(one, at: "h:/other") }
        #expect(twin?.code == .busy && twin?.detail.contains("--machine") == true)
        try database.run("UPDATE napkin.machines SET heard = now() - interval '40 s'")
        #expect(try asked.report(two, at: "h:/two").map(\.seconds) == [40, 0])
        // Whoever had the name is gone.
        #expect(try asked.report(one, at: "h:/other").count == 2)
        try store("a")
        #expect(try asked.report(one, at: "h:/other")[0].places == 1)
    }

    @Test func `a stored session is found with its owner, whose lease may be over`() throws {
        #expect(try asked.find("a") == nil)
        try store("a")
        let owner = Owner(machine: "one", isHeld: true)
        let found = ClusterDirectory.Session(name: "a", journal: "tally", owner: owner)
        #expect(try asked.find("a") == found)
        #expect(try asked.owners(of: ["tally", "b"]) == ["tally": owner])
        #expect(try asked.sessions() == [found])
        #expect(try asked.places(of: "one") == ["tally"])
        #expect(try asked.places(of: "two") == [])
        #expect(try asked.journals() == ["tally"])
        try endLease()
        #expect(try asked.find("a")?.owner?.isHeld == false)
    }

    @Test func `a name is kept for one journal, until it is stored or a minute has passed`()
        throws
    {
        #expect(try asked.reserve("a", in: "tally~1"))
        #expect(try asked.reserve("a", in: "tally~1"))
        #expect(try !asked.reserve("a", in: "tally~2"))
        let kept = try asked.find("a")
        #expect(kept?.journal == "tally~1" && kept?.isStored == false && kept?.owner == nil)
        try database.run("UPDATE napkin.names SET until = now() - interval '1 s'")
        #expect(try asked.find("a") == nil)
        #expect(try asked.reserve("a", in: "tally~2"))
        try store("b")
        #expect(try !asked.reserve("b", in: "tally~2"))
        #expect(try asked.reserve("b", in: "tally"))
        // Only whoever keeps a name releases it.
        try asked.release("a", in: "tally~1")
        #expect(try !asked.reserve("a", in: "tally~1"))
        try asked.release("a", in: "tally~2")
        #expect(try asked.reserve("a", in: "tally~1"))
    }

    @Test func `a free number has no session, no owner and no name`() throws {
        try database.run(
            """
            INSERT INTO napkin.owner VALUES ('till~1', 1, 'm', 'one', now() + interval '1 min'),
                ('till~2', 1, 'm', 'one', now() - interval '1 min');
            INSERT INTO napkin.names VALUES ('n', 'till~3', now() + interval '1 min')
            """)
        #expect(try asked.freeNumbers(of: "till", upTo: 4).sorted() == [2, 4])
    }

    @Test func `what is due is found once its owner is gone`() throws {
        try store("a", due: 1)
        #expect(try asked.due() == [])
        try endLease()
        #expect(try asked.due() == ["tally"])
        try store("a", due: UInt64(Date().timeIntervalSince1970 * 1000) + 600_000)
        try endLease()
        #expect(try asked.due() == [])
        // An unknown time leaves what is known.
        try store("a", due: 1)
        try store("a")
        try endLease()
        #expect(try asked.due() == ["tally"])
    }

    @Test func `tables of version 1 are refused until they are updated`() throws {
        try database.run(
            """
            DROP TABLE napkin.machines, napkin.names; DROP INDEX napkin.sessions_name;
            ALTER TABLE napkin.owner DROP due;
            UPDATE napkin.meta SET value = '1' WHERE key = 'format'
            """)
        let older = #expect(throws: StoreError.self) { try database.store().open() }
        #expect(older?.code == .version)
        let again = try PostgresStore.migrate(database: database.string, cluster: nil)
        #expect(again.cluster == "test" && !again.isNew)
        try store("a", due: 1)
    }
}

@MainActor
struct LostDirectoryTests {
    private let database = TestDatabase()

    private func cluster(_ directory: ClusterDirectory) async throws(StoreError) -> String {
        try await directory.ask { (database) throws(StoreError) in
            _ = try database.find("a")
            return database.cluster
        }
    }

    @Test func `a lost connection is opened again, without those who ask`() async throws {
        let file = database.file()
        let directory = ClusterDirectory(
            database: database.string,
            directory: String(file.prefix(upTo: file.lastIndex(of: "/") ?? file.endIndex)))
        #expect(try await cluster(directory) == "test")
        try database.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(try await cluster(directory) == "test")
    }
}
