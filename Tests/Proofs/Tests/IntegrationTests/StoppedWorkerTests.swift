// StoppedWorkerTests: sessions in a PostgreSQL whose worker is stopped, and may be taken over.

import Foundation
import ProofSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct StoppedWorkerTests {
    private let database: SharedDatabase

    init() throws { database = try SharedDatabase() }

    /// A front follows its session from a machine that dies.
    private func frontFollows(_ one: TallyPlace, _ two: TallyPlace) async throws {
        #expect(try await one.add(1, to: "front") == 1)
        let front = try await two.place.front(["--session", "front"])
        try await front.mounts(TallyPlace.tally)
        func add(_ amount: Int) async throws {
            let id = try front.send(TallyPlace.tally, "add(_:)", args: "[\(amount)]")
            try await Failure.unless(front.reply(to: id).isOK, "\(amount)")
        }
        try await add(2)
        try await one.die()
        // What is sent before it has noticed would not run.
        try await front.reads { $0.type == "resumed" }
        try await add(4)
        #expect(try await two.sum("front") == 7)
        #expect(two.workers.count == 1)
        // In good order there is no lease to wait for.
        try await one.place.daemon()
        let drained = try await two.place.run(["drain"])
        #expect(drained.status == 0, "\(drained.errors)")
        try await front.reads { $0.type == "resumed" }
        try await add(8)
        #expect(one.workers.count == 1)
        #expect(try await one.sum("front") == 15)
        try front.child.write(#"{"t":"detach"}"#)
        #expect(await front.child.exit() == 0, "\(front.child.errorText)")
    }

    @Test
    func `a worker that was stopped until its lease was taken commits nothing, and fronts follow`()
        async throws
    {
        let (one, two) = (try await database.machine(), try await database.machine())
        #expect(try await one.add(1, to: "a") == 1)
        let worker = try await one.place.workerPID()
        kill(worker, SIGSTOP)
        try await database.leaseEnds()
        #expect(try await two.add(2, to: "a") == 3)
        // It has an event in its socket when it wakes, which then happens once, at the other.
        let late = try one.place.client([
            "send", "a", TallyPlace.tally, "add(_:)", "100", "--create", "--app", "tally",
        ])
        late.closeInput()
        kill(worker, SIGCONT)
        try await Vitals.end(of: worker)
        let (status, errors) = (await late.exit(), await late.allErrors())
        #expect(status == 0, "\(errors)")
        #expect(try await two.sum("a") == 103)
        #expect(try await database.psql("SELECT epoch FROM napkin.owner") == "2")
        #expect(one.workers.isEmpty)
        try await frontFollows(two, one)
    }

    @Test func `the fronts of a worker that stays stopped go on where it was taken over`()
        async throws
    {
        let (one, two) = (try await database.machine(), try await database.machine())
        #expect(try await one.add(1, to: "a") == 1)
        let fronts = [
            try await one.place.front(["--session", "a"]),
            try await two.place.front(["--session", "a"]),
        ]
        for front in fronts { try await front.mounts(TallyPlace.tally) }
        let worker = try await one.place.workerPID()
        kill(worker, SIGSTOP)
        try await database.leaseEnds()
        #expect(try await two.add(2, to: "a") == 3)
        try await Vitals.end(of: worker)
        for front in fronts {
            try await front.reads { $0.type == "resumed" }
            let id = try front.send(TallyPlace.tally, "add(_:)", args: "[10]")
            #expect(try await front.reply(to: id).isOK)
        }
        #expect(try await one.sum("a") == 23)
        // One that was started meanwhile ends by itself: another machine has the journal.
        for worker in one.workers { try await Vitals.end(of: worker) }
        #expect(one.workers.isEmpty && two.workers.count == 1)
        // That was no death of the app's.
        #expect(try await one.place.listed()?["crashes"] as? Int == 0)
    }

    @Test func `the fronts of a worker that stays stopped go on after its lease, unasked`()
        async throws
    {
        let (one, two) = (try await database.machine(), try await database.machine())
        #expect(try await one.add(1, to: "a") == 1)
        let fronts = [
            try await one.place.front(["--session", "a"]),
            try await two.place.front(["--session", "a"]),
        ]
        for front in fronts { try await front.mounts(TallyPlace.tally) }
        let worker = try await one.place.workerPID()
        kill(worker, SIGSTOP)
        // Events that are sent while it is stopped happen once.
        let ids = try fronts.map { try $0.send(TallyPlace.tally, "add(_:)", args: "[10]") }
        for (front, id) in zip(fronts, ids) {
            let reply = try await front.reply(to: id)
            #expect(reply.isOK, "\(reply)")
        }
        try await Vitals.end(of: worker)
        #expect(try await one.sum("a") == 21)
        #expect(try await database.psql("SELECT epoch FROM napkin.owner") == "2")
        #expect(one.workers.count + two.workers.count == 1)
        #expect(try await one.place.listed()?["crashes"] as? Int == 0)
    }

    @Test(arguments: [true, false])
    func `a front that comes while a stopped worker's lease holds goes on at another machine`(
        isHung: Bool
    ) async throws {
        let (one, two) = (try await database.machine(), try await database.machine())
        #expect(try await one.add(1, to: "a") == 1)
        // For as long, the front that has just left would count as one that waits.
        _ = try await one.place.run(["top", "a", "--count", "1", "--interval", "0.1", "--json"])
        var stopped = one.workers
        if isHung { stopped += Vitals.processes(mentioning: one.place.socket, "--ready-fd\0") }
        for pid in stopped { kill(pid, SIGSTOP) }
        defer { for pid in stopped { kill(pid, SIGCONT) } }
        let person = try Terminal(
            Product.path("napkin-client"),
            ["send", "a", TallyPlace.tally, "add(_:)", "2", "--socket", two.place.socket],
            columns: 80, lines: 24, environment: two.place.environment)
        // Nobody begins at a napkind that is stopped.
        let fronts = try (isHung ? [two] : [one, two]).map {
            ControlFront(try $0.place.client(["attach", "tally", "--session", "a", "--control"]))
        }
        // Without the seconds, which it says from the first one on.
        try await person.draws("waiting for ")
        try await person.draws(isHung ? "napkind at ssh://\(one.machine)" : "tally's worker")
        for front in fronts {
            try await front.mounts(TallyPlace.tally)
            let id = try front.send(TallyPlace.tally, "add(_:)", args: "[10]")
            #expect(try await front.reply(to: id).isOK)
        }
        #expect(await person.exit() == 0, "\(person.drawn)")
        #expect(try await two.sum("a") == 3 + 10 * fronts.count)
        #expect(try await database.psql("SELECT epoch FROM napkin.owner") == "2")
        #expect(two.workers.count == 1)
    }
}
