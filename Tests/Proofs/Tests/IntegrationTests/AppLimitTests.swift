// AppLimitTests: what workers may use and fronts may ask for, and what is said at a limit.

import Foundation
import ProofSupport
import Testing

extension Depot {
    /// The same place with another napkind.
    fileprivate init(again depot: Depot) async throws {
        place = depot.place
        daemon = try await place.daemon(["--log-level", "info"])
    }

    /// Installs a till with these limits, and another app beside it.
    fileprivate func install(limits: String, more: String = "") async throws {
        try install(try Depot.manifest(more: #", "limits": {\#(limits)}\#(more)"#))
        try install(try Depot.manifest("guest"), as: "guest")
        try await says("app found", times: 2)
    }

    /// The lines of the till's log.
    fileprivate func logLines() async throws -> [String] {
        try await place.run(["logs", "till"]).lines
    }

    /// What the kernel says of a process: the rest of the line that begins with that word.
    fileprivate func kernel(_ file: String, _ word: String, of pid: Int32) throws -> String? {
        try String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8)
            .split(separator: "\n").first { $0.hasPrefix(word) }
            .map { $0.dropFirst(word.count).split(whereSeparator: \.isWhitespace) }
            .map { $0.joined(separator: " ") }
    }
}

extension ControlFront {
    fileprivate func number(_ method: String) async throws -> Int? {
        try await call(Depot.till, method).object["value"] as? Int
    }
}

/// Another app of the same napkind, which must not notice.
private struct Neighbour {
    let front: ControlFront
    let daemon: Child

    init(_ depot: Depot) async throws {
        front = try await depot.place.front(app: "guest")
        daemon = depot.daemon
        try await front.call(Depot.till, "ring()")
    }

    func hasNotNoticed() async throws -> Bool {
        let rings = try await front.number("ring()")
        return rings == 2 && !front.wasDisconnected && kill(daemon.pid, 0) == 0
    }
}

@Suite(.timeLimit(.minutes(10)))
struct AppLimitTests {
    /// What is the same at each end of a worker.
    private func expect(
        _ reason: String, on depot: Depot, seenBy front: ControlFront, former: Int32
    ) async throws {
        let resumed = try await front.reads { $0.type == "resumed" }
        let app = try #require(try await depot.app())
        let death = try #require(app["death"] as? String)
        #expect(resumed.object["death"] as? String == death)
        #expect(death.contains(reason), "\(death)")
        #expect(app["crashes"] as? Int == 1 && app["pid"] as? Int != Int(former))
        let (_, lines, _) = try await depot.place.run(["apps"])
        let receipt = "(receipt 1: `napkin-client crash show till 1`)"
        #expect(lines.contains("till: its last worker died: \(death) \(receipt)"), "\(lines)")
        #expect(resumed.object["receipt"] as? Int == 1 && app["receipt"] as? Int == 1)
        let receipts = try await depot.place.run(["crash", "ls", "till", "--json"]).lines.joined()
        let minute = try JSON.array(receipts).first?["minute"] as? [Int] ?? []
        // One that dies at once may have been measured before it had anything.
        #expect((1...60).contains(minute.count), "\(minute)")
        let noted = try await depot.logLines().filter { $0.contains("worker died") }
        #expect(noted.count == 1 && noted[0].contains(reason), "\(noted)")
        try await depot.says(reason)
        #expect(try await front.number("ring()") == 1)
    }

    // MARK: - The end of a worker

    /// The limit, the event that reaches it, what is said then, and whether napkind is another one.
    @Test(arguments: [
        (
            #""memory": 104857600"#, "keep(megabytes:inParts:pausing:)", "[150, 150, 2]",
            " MiB of memory, and its limit is 100 MiB: 'memory' in 'limits'", false
        ),
        (
            #""memory": 104857600"#, "keep(megabytes:inParts:pausing:)", "[150, 150, 2]",
            " MiB of memory, and its limit is 100 MiB: 'memory' in 'limits'", true
        ),
        // At once: it ends where it asks for that.
        (
            #""memory": 67108864"#, "keep(megabytes:inParts:pausing:)", "[1024, 1, 0]",
            "; its limit is 64 MiB: 'memory' in 'limits'", false
        ),
        // Its loop answers all the time.
        (
            #""processor": 2"#, "burn(milliseconds:)", "[60000]",
            " s of processor time in 60 s, and its limit is 2 s: 'processor' in 'limits'", false
        ),
    ])
    func `a worker that uses more than its limit is ended, also if it has outlived a napkind`(
        limits: String, method: String, arguments: String, reason: String, outlivesNapkind: Bool
    ) async throws {
        var depot = try await Depot()
        try await depot.install(limits: limits)
        let front = try await depot.place.front()
        let worker = try await depot.place.workerPID()
        if limits == #""memory": 67108864"# {
            #expect(
                try depot.kernel("limits", "Max data size", of: worker)
                    == "335544320 335544320 bytes")
        }
        if outlivesNapkind {
            try await killed(depot.daemon)
            depot = try await Depot(again: depot)
            #expect(try await depot.place.workerPID() == worker)
        }
        let neighbour = try await Neighbour(depot)
        try front.send(Depot.till, method, args: arguments)
        try await expect(reason, on: depot, seenBy: front, former: worker)
        #expect(try await neighbour.hasNotNoticed())
    }

    // MARK: - The kernel's limits

    @Test
    func `a worker has the core and privileges of its manifest, and no more events than it says`()
        async throws
    {
        let depot = try await Depot()
        let more = #""core": 1048576, "newPrivileges": true, "events": 10"#
        try await depot.install(limits: more)
        for (app, core, gainsNone) in [("guest", 0, "1"), ("till", 1_048_576, "0")] {
            let front = try await depot.place.front(app: app)
            let pid = Int32(try #require(try await depot.app(app)?["pid"] as? Int))
            let limit = try #require(try depot.kernel("limits", "Max core file size", of: pid))
            // The machine may allow less.
            let values = limit.split(separator: " ").prefix(2).compactMap { Int($0) }
            #expect(values == [core, core], "\(limit)")
            #expect(try depot.kernel("status", "NoNewPrivs:", of: pid) == gainsNone)
            try front.send(
                Depot.till, "run(script:)",
                args: #"["grep NoNewPrivs /proc/self/status; ulimit -Hc"]"#)
            try await front.shows { screen in
                let said = screen.value(Depot.till, "present(lines:)") ?? ""
                return said.contains(":\\t\(gainsNone)\",\"\(core / 512)\"")
            }
        }
        #expect(try depot.kernel("status", "NoNewPrivs:", of: depot.daemon.pid) == "0")
        try await refusesEvents(depot)
    }

    @Test func `a worker at its limit of files refuses fronts, and goes on with those it has`()
        async throws
    {
        let depot = try await Depot()
        try await depot.install(limits: #""files": 64"#)
        let front = try await depot.place.front()
        let worker = try await depot.place.workerPID()
        #expect(try depot.kernel("limits", "Max open files", of: worker) == "64 64 files")
        let neighbour = try await Neighbour(depot)
        #expect(try #require(try await front.number("openFiles()")) < 64)
        for _ in 1...3 {
            let (status, errors) = try await depot.attach()
            #expect(status == 75, "\(errors)")
            #expect(errors.contains("(pid \(worker)) has 64 files open, which is its limit"))
        }
        let noted = try await depot.logLines().filter { $0.contains("limit reached") }
        #expect(noted.count == 1 && noted[0].contains("has 64 files open"), "\(noted)")
        #expect(try await front.number("ring()") == 1)
        try await front.call(Depot.till, "closeFiles()")
        #expect(try await depot.ring().1 == ["2"])
        #expect(!front.wasDisconnected)
        #expect(try await neighbour.hasNotNoticed())
    }

    // MARK: - What fronts ask for

    @Test(arguments: [(#""shared""#, true), (#"{"workers": 2}"#, false)])
    func `an app has no more fronts than it may, over all of its workers`(
        isolation: String, outlivesNapkind: Bool
    ) async throws {
        var depot = try await Depot()
        try await depot.install(limits: #""fronts": 3"#, more: #", "isolation": \#(isolation)"#)
        var fronts: [ControlFront] = []
        for name in ["a", "b", "b"] {
            fronts.append(try await depot.place.front(["--session", name]))
        }
        if outlivesNapkind {
            try await killed(depot.daemon)
            depot = try await Depot(again: depot)
        }
        for _ in 1...3 {
            let (status, _, errors) = try await depot.ring("a")
            #expect(status == 75, "\(errors)")
            #expect(errors.contains("till has 3 of 3 fronts, which is the limit"), "\(errors)")
            #expect(errors.contains("'fronts' in 'limits' of \(depot.apps)/till.json"))
        }
        let noted = try await depot.logLines().filter { $0.contains("limit reached") }
        #expect(noted.count == 1 && noted[0].contains("3 of 3 fronts"), "\(noted)")
        try await depot.says("limit reached")
        #expect(try await depot.place.front(app: "guest").number("ring()") == 1)
        // One that has left makes room, whether it says so or not.
        for signal in [SIGTERM, SIGKILL] {
            let gone = fronts.removeLast()
            gone.child.signal(signal)
            _ = await gone.child.exit()
            var status: Int32 = 75
            while status == 75 { status = try await depot.ring("b").0 }
            #expect(status == 0)
            fronts.append(try await depot.place.front(["--session", "b"]))
            #expect(try await depot.ring("a").0 == 75)
        }
        // A worker that dies has no fronts; its own come back, to their places.
        let held = try await depot.place.sessions().first { $0.name == "b" }
        let dead = Int32(try #require(held?.object["pid"] as? Int))
        kill(dead, SIGKILL)
        if isolation == #""shared""# { try await fronts[0].reads { $0.type == "resumed" } }
        for front in fronts.dropFirst() { try await front.reads { $0.type == "resumed" } }
        #expect(try await depot.ring("a").0 == 75)
    }

    /// Events of a front beyond its rate are refused, and do not run.
    private func refusesEvents(_ depot: Depot) async throws {
        let eager = try await depot.place.front()
        let calm = try await depot.place.front()
        let neighbour = try await Neighbour(depot)
        let ids = try (1...200).map { _ in try eager.send(Depot.till, "ring()") }
        var rung = 0
        var refused: [ControlLine] = []
        for id in ids {
            let line = try await eager.reply(to: id)
            if line.isOK { rung += 1 } else { refused.append(line) }
        }
        // Of 200 that come at once: the first second's, and those of the seconds that it takes.
        #expect((10..<50).contains(rung), "\(rung)")
        #expect(refused.allSatisfy { $0.errorCode == "overloaded" })
        let text = try JSON.text(refused.first?.object["error"])
        #expect(text.contains("more than 10 events in a second"), "\(text)")
        #expect(try await calm.number("ring()") == rung + 1)
        while try await !eager.call(Depot.till, "ring()").isOK {}
        #expect(!eager.wasDisconnected)
        let noted = try await depot.logLines().filter { $0.contains("eventsRefused") }
        #expect(noted.first?.contains("most: 10") == true, "\(noted)")
        #expect(noted.count < 30)
        #expect(try await neighbour.hasNotNoticed())
    }
}
