// PostgresTests: sessions in a PostgreSQL, whatever ends: a worker, a machine, the database.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct PostgresTests {
    private let server: PostgresServer
    private var ledger: String { "postgres:\(server.database())" }

    init() throws { server = try PostgresServer() }

    /// A machine of the database, which has the tables.
    private func machine() async throws -> TallyPlace {
        try await migrate()
        return try await TallyPlace(ledger: ledger)
    }

    /// Creates the tables, without a napkind.
    private func migrate() async throws {
        let client = try Child(
            Product.path("napkin-client"), ["ledger", "migrate", "--ledger", ledger])
        let (status, errors) = (await client.exit(), await client.allErrors())
        try Failure.unless(status == 0, errors)
    }

    /// Asks the database something; returns its answer.
    @discardableResult
    private func psql(_ text: String) async throws -> String {
        let child = try Child("/usr/bin/psql", [server.database(), "-Atc", text])
        let (status, lines) = await child.result()
        let errors = await child.allErrors()
        try Failure.unless(status == 0, errors)
        return lines.joined(separator: "\n")
    }

    /// Returns when nobody's lease holds any more, by the database's clock.
    private func leaseEnds() async throws {
        try await psql(
            "SELECT pg_sleep(greatest(0, extract(epoch FROM max(expires) - now()))) "
                + "FROM napkin.owner")
    }

    @Test func `a session survives its worker, its machine's end and an end in good order`()
        async throws
    {
        let place = try await machine()
        #expect(try await place.add(1, to: "a") == 1)
        try await place.place.killWorker()
        #expect(try await place.add(2, to: "a") == 3)
        try await place.restartAfterKill()
        #expect(try await place.add(3, to: "a") == 6)
        #expect(try await place.add(1, to: "b") == 1)
        try await place.restartInOrder()
        // Nothing says which sessions there are: the worker is asked.
        #expect(try await Set(place.listed().keys) == ["a", "b"])
        #expect(try await place.sum("a") == 6)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.ledger).sorted() == [
                "cluster", "tally.ledger-postgres",
            ])
        let status = try await place.place.run(["status"])
        #expect(status.lines.joined().contains("machine, \(ledger)"))
    }

    @Test func `a database that is killed under load loses nothing that was acknowledged`()
        async throws
    {
        let place = try await machine()
        #expect(try await place.add(1, to: "a") == 1)
        let front = try await place.place.front(["--session", "a"])
        try await front.mounts(TallyPlace.tally)
        func send(_ count: Int) throws -> ArraySlice<Int> {
            try (0..<count).map { _ in
                try front.send(TallyPlace.tally, "add(_:)", args: "[1]")
            }[...]
        }
        let ids = try send(200)
        var added = 0
        func count(_ ids: ArraySlice<Int>) async throws {
            for id in ids where try await front.reply(to: id).isOK { added += 1 }
        }
        // It is busy with the others then.
        try await count(ids[..<20])
        server.stop()
        // The worker may have done all the others; these it cannot keep.
        let late = try send(20)
        try server.start()
        // What has no answer is sent again, and does not happen twice.
        try await count(ids[20...])
        try await count(late)
        #expect(added == ids.count + late.count)
        #expect(try await place.sum("a") == 1 + added)
    }

    @Test func `a database that is away refuses the app with the reason, and is asked again`()
        async throws
    {
        let place = try await TallyPlace(ledger: ledger)
        let refused = try await place.place.run([
            "send", "a", TallyPlace.tally, "add(_:)", "1", "--create", "--app", "tally",
        ])
        #expect(refused.status != 0)
        #expect(refused.errors.contains("the tables are missing"), "\(refused.errors)")
        try await migrate()
        // `restart` need not wait until the app is tried again by itself.
        _ = try await place.place.run(["restart", "tally"])
        #expect(try await place.add(1, to: "a") == 1)
    }

    @Test func `a second machine is told who has the journal, and takes over when it may`()
        async throws
    {
        let (one, two) = (try await machine(), try await machine())
        #expect(try await one.add(1, to: "a") == 1)
        let refused = try await two.place.run(["send", "a", TallyPlace.tally, "read()"])
        #expect(refused.status != 0)
        let asked = try await two.place.run([
            "send", "a", TallyPlace.tally, "add(_:)", "1", "--create", "--app", "tally",
        ])
        #expect(asked.errors.contains("\(one.place.state) has it"), "\(asked.errors)")
        let all = Vitals.processes(mentioning: one.place.socket, "--ready-fd\0") + one.workers
        for pid in all { kill(pid, SIGKILL) }
        try await leaseEnds()
        _ = try await two.place.run(["restart", "tally"])
        #expect(try await two.add(2, to: "a") == 3)
        // An end in good order leaves no lease to wait for.
        try await two.end()
        #expect(try await psql("SELECT expires <= now() FROM napkin.owner") == "t")
        try await one.place.daemon()
        #expect(try await one.add(4, to: "a") == 7)
    }

    @Test func `a worker that was stopped until its lease was taken commits nothing`() async throws
    {
        let (one, two) = (try await machine(), try await machine())
        #expect(try await one.add(1, to: "a") == 1)
        let worker = try await one.place.workerPID()
        kill(worker, SIGSTOP)
        try await leaseEnds()
        #expect(try await two.add(2, to: "a") == 3)
        // It has an event in its socket when it wakes.
        let late = try one.place.client([
            "send", "a", TallyPlace.tally, "add(_:)", "100", "--create", "--app", "tally",
        ])
        late.closeInput()
        kill(worker, SIGCONT)
        try await Vitals.end(of: worker)
        #expect(await late.exit() != 0)
        #expect(try await two.sum("a") == 3)
        #expect(try await psql("SELECT epoch FROM napkin.owner") == "2")
    }

    @Test func `a journal moves from its file into the database, and out again`() async throws {
        let files = try await TallyPlace()
        #expect(try await files.add(5, to: "a") == 5)
        #expect(try await files.add(6, to: "b") == 6)
        let journal = files.ledger + "/tally.ledger"
        let place = try await machine()
        let busy = try await place.place.run(["ledger", "import", journal, "--ledger", ledger])
        #expect(busy.status != 0)
        try await files.end()
        // A machine that begins with a database does not forget what it has in files.
        try await files.place.daemon(["--ledger", ledger])
        let refused = try await files.place.run([
            "send", "a", TallyPlace.tally, "add(_:)", "1", "--create", "--app", "tally",
        ])
        #expect(refused.errors.contains("ledger import"), "\(refused.errors)")
        try await files.end()
        let moved = try await place.place.run(["ledger", "import", journal, "--ledger", ledger])
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.lines.joined().contains("2 sessions"))
        try await files.place.daemon(["--ledger", ledger])
        #expect(try await files.add(1, to: "a") == 6)
        let copy = files.place.directory + "/tally.ledger"
        let out = try await files.place.run(["ledger", "backup", "tally", copy])
        #expect(out.status == 0, "\(out.errors)")
        try await files.end()
        let back = try await TallyPlace()
        try await back.end()
        try FileManager.default.createDirectory(
            atPath: back.ledger, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: copy, toPath: back.ledger + "/tally.ledger")
        try await back.place.daemon()
        #expect(try await back.sum("a") == 6)
        #expect(try await back.sum("b") == 6)
    }
}
