// PostgresTests: sessions in a PostgreSQL, whatever ends: a worker, a machine, the database.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostgresTests {
    private let database: SharedDatabase

    init() throws { database = try SharedDatabase() }

    /// A session survives its worker, its machine's end and an end in good order.
    private func survives(_ place: TallyPlace) async throws {
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
        #expect(status.lines.joined().contains("machine, \(database.ledger)"))
    }

    /// A database that is killed under load loses nothing that was acknowledged.
    private func losesNothing(_ place: TallyPlace) async throws {
        #expect(try await place.add(1, to: "busy") == 1)
        let front = try await place.place.front(["--session", "busy"])
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
        database.server.stop()
        // The worker may have done all the others; these it cannot keep.
        let late = try send(20)
        try database.server.start()
        // What has no answer is sent again, and does not happen twice.
        try await count(ids[20...])
        try await count(late)
        #expect(added == ids.count + late.count)
        #expect(try await place.sum("busy") == 1 + added)
    }

    @Test
    func `a database without tables refuses the app, and with them a session survives all ends`()
        async throws
    {
        let place = try await TallyPlace(ledger: database.ledger)
        let refused = try await place.place.run([
            "send", "a", TallyPlace.tally, "add(_:)", "1", "--create", "--app", "tally",
        ])
        #expect(refused.status != 0)
        #expect(refused.errors.contains("the tables are missing"), "\(refused.errors)")
        try await database.migrate()
        // `restart` need not wait until the app is tried again by itself.
        _ = try await place.place.run(["restart", "tally"])
        #expect(try await place.add(1, to: "a") == 1)
        try await survives(place)
        try await losesNothing(place)
    }

    @Test
    func `a session is reached from any machine, goes on at another one, and each has its name`()
        async throws
    {
        let (one, two) = (try await database.machine(), try await database.machine())
        #expect(try await one.add(1, to: "a") == 1)
        #expect(try await two.add(2, to: "a") == 3)
        #expect(two.workers.isEmpty)
        let all = try await two.place.run(["ls", "--everywhere", "--json"])
        let session = try #require(try JSON.array(all.lines.joined()).first)
        #expect(session["machine"] as? String == one.machine, "\(all)")
        let machines = try await two.place.run(["machines"])
        #expect(
            machines.lines.contains { $0.hasPrefix(one.machine) && $0.hasSuffix("running") }
                && machines.lines.contains { $0.contains("here, running") }, "\(machines)")
        // A new session of the only worker goes where that is.
        #expect(try await two.add(5, to: "b") == 5)
        try await ledgerFollows("b", from: two, to: one)
        try await toolsFollow("b", from: two)
        #expect(two.workers.isEmpty)
        try await one.die()
        #expect(try await two.add(3, to: "a") == 6)
        try await one.place.daemon()
        #expect(try await one.add(4, to: "a") == 10)
        #expect(one.workers.isEmpty)
        let drained = try await two.place.run(["drain"])
        #expect(drained.status == 0, "\(drained.errors)")
        #expect(two.workers.isEmpty)
        #expect(try await two.sum("a") == 10)
        #expect(one.workers.count == 1)
        let alone = try await one.place.run(["drain"])
        #expect(alone.status == 69 && alone.errors.contains("no other machine"), "\(alone)")
        try await refusesItsName(one, two)
    }

    /// Tools that name a session reach it from another machine, and end it there.
    private func toolsFollow(_ session: String, from place: TallyPlace) async throws {
        let trace = try place.place.client(["trace", session])
        try await trace.errors { $0.contains("tracing session") }
        let watch = try place.place.client(["tree", session, "--watch", "--json"])
        _ = try await watch.line { $0.contains(TallyPlace.tally) }
        for (words, says) in [
            (["tree", session], TallyPlace.tally), (["detach", session], ""),
            (["top", session, "--count", "1", "--interval", "0.1", "--json"], "crossings"),
            (["ledger", "show", session], TallyPlace.tally), (["rename", session, "c"], ""),
            (["send", "c", TallyPlace.tally, "read()"], "5"), (["kill", "c"], ""),
        ] {
            let (status, lines, errors) = try await place.place.run(words)
            let isSaid = says.isEmpty ? lines.isEmpty : lines.joined().contains(says)
            #expect(status == 0 && isSaid, "\(words): \(lines) \(errors)")
        }
        let left = try await place.place.run(["kill", "c"])
        #expect(left.status != 0 && left.errors.contains("no session 'c'"), "\(left)")
        for child in [trace, watch] {
            child.signal(SIGTERM)
            _ = await child.exit()
        }
    }

    /// The commands for stored sessions ask the machine that has the journal, where nothing that
    /// they write stays there.
    private func ledgerFollows(
        _ session: String, from place: TallyPlace, to other: TallyPlace
    ) async throws {
        let shown = try await place.place.run(["ledger", "show", session, "--json"])
        let entry = try JSON.object(shown.lines.joined())["entry"] as? [String: Any]
        let record = try #require(entry?["record"] as? Int, "\(shown)")
        let sum = try await place.sum(session)
        #expect(try await place.add(7, to: session) == sum + 7)
        let (file, copy) = (place.place.directory + "/b.napkin", place.place.directory + "/copy")
        for (words, says) in [
            (["ls"], "running"), (["ls", "tally"], "running"), (["verify", "tally"], "good"),
            (["show", session, "--record", "\(record)"], TallyPlace.tally),
            (["export", session, file], session),
            (["rewind", session, "\(record)", "--yes"], "is as of record"),
            (["import", file, "--name", "copied"], "session copied"),
        ] {
            let (status, lines, errors) = try await place.place.run(["ledger"] + words)
            #expect(status == 0 && lines.joined().contains(says), "\(words): \(lines) \(errors)")
        }
        #expect(try await place.sum(session) == sum)
        #expect(try await place.sum("copied") == sum + 7)
        #expect(try await place.place.run(["kill", "copied"]).status == 0)
        let backup = try await place.place.run(["ledger", "backup", "tally", copy])
        let way = "--host ssh://\(other.machine) ledger backup tally FILE"
        #expect(backup.status == 69 && backup.errors.contains(way), "\(backup)")
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `sessions are spread over machines, and each name is one session`() async throws {
        try await database.migrate()
        let isolation = #"{"workers": 4}"#
        let one = try await TallyPlace(isolation: isolation, ledger: database.ledger)
        let two = try await TallyPlace(isolation: isolation, ledger: database.ledger)
        #expect(try await one.add(1, to: "a") == 1)
        #expect(try await two.add(2, to: "b") == 2)
        #expect(one.workers.count == 1 && two.workers.count == 1)
        for (place, other) in [(one, "b"), (two, "a")] {
            #expect(try await place.add(10, to: other) > 10)
        }
        #expect(one.workers.count == 1 && two.workers.count == 1)
        let twice = try await database.psql(
            "SELECT count(*) - count(DISTINCT name) FROM napkin.sessions")
        #expect(twice == "0")
        try await keepsNames(one, two)
    }

    /// A session is not renamed to a name that one has at another machine.
    private func keepsNames(_ one: TallyPlace, _ two: TallyPlace) async throws {
        // The last one asks from where the session is not.
        for (place, session, name) in [(one, "a", "b"), (two, "b", "a"), (one, "b", "a")] {
            let refused = try await place.place.run(["rename", session, name])
            #expect(refused.status != 0, "\(refused)")
            #expect(refused.errors.contains("already a session '\(name)', of tally"), "\(refused)")
        }
        #expect(try await one.sum("a") == 11)
        #expect(try await one.sum("b") == 12)
        // Names that are about to be stored count, and a name of which nobody has made use lapses.
        try await database.psql(
            "INSERT INTO napkin.names VALUES ('c', 'tally~9', now() + interval '1 h')")
        let early = try await one.place.run(["rename", "a", "c"])
        #expect(early.status != 0 && early.errors.contains("'c' is kept for a new"), "\(early)")
        try await database.psql("UPDATE napkin.names SET until = now() WHERE name = 'c'")
        #expect(try await one.place.run(["rename", "a", "c"]).status == 0)
        #expect(try await two.sum("c") == 11)
        let late = try await two.place.run(["rename", "b", "c"])
        #expect(late.status != 0 && late.errors.contains("already a session 'c'"), "\(late)")
    }

    /// Two machines of one name are refused, and the first one goes on.
    private func refusesItsName(_ one: TallyPlace, _ two: TallyPlace) async throws {
        try await two.end()
        try await two.place.daemon(["--machine", one.machine])
        let asked = try await two.place.run(["send", "a", TallyPlace.tally, "read()"])
        #expect(asked.status == 69 && asked.errors.contains("--machine"), "\(asked)")
        let doctor = try await two.place.run(["doctor"])
        #expect(doctor.lines.joined().contains("another napkind is the machine"), "\(doctor)")
        #expect(try await one.add(1, to: "a") == 11)
    }

    @Test func `a journal moves from its file into the database, and out again`() async throws {
        let files = try await TallyPlace()
        #expect(try await files.add(5, to: "a") == 5)
        #expect(try await files.add(6, to: "b") == 6)
        let journal = files.ledger + "/tally.ledger"
        let place = try await database.machine()
        let busy = try await place.place.run([
            "ledger", "import", journal, "--ledger", database.ledger,
        ])
        #expect(busy.status == 75 && busy.errors.contains("a worker of tally runs"))
        try await files.end()
        // A machine that begins with a database does not forget what it has in files.
        try await files.place.daemon(["--ledger", database.ledger])
        let refused = try await files.place.run([
            "send", "a", TallyPlace.tally, "add(_:)", "1", "--create", "--app", "tally",
        ])
        #expect(refused.errors.contains("ledger import"), "\(refused.errors)")
        try await files.end()
        let moved = try await place.place.run([
            "ledger", "import", journal, "--ledger", database.ledger,
        ])
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.lines.joined().contains("2 sessions"))
        try await files.place.daemon(["--ledger", database.ledger])
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
