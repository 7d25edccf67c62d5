// ControlTests: apps that are started, stopped and restarted, and sessions killed by force.

import Foundation
import ProofSupport
import Testing

extension Depot {
    /// Installs the till, and returns when napkind has seen it.
    func install(
        more: String, program: String? = nil, says words: String = "app found", times: Int = 1
    ) async throws {
        try install(try Depot.manifest(program: program, more: more))
        try await says(words, times: times)
    }

    /// Runs a command of control, and returns its status, its JSON and its errors.
    func control(
        _ words: String...
    ) async throws -> (status: Int32, outcome: [String: Any], errors: String) {
        let (status, lines, errors) = try await place.run(words + ["--json"])
        return (status, try lines.first.map { try JSON.object($0) } ?? [:], errors)
    }

    /// The sessions, and the process of each.
    func held() async throws -> [String: Int32] {
        let sessions = try await place.sessions()
        return Dictionary(
            uniqueKeysWithValues: sessions.map { ($0.name, Int32($0.object["pid"] as? Int ?? 0)) })
    }

    /// The workers that live.
    var running: [Int32] { Vitals.processes(mentioning: place.state, "--worker\0") }

    /// Runs a script in a session, and returns when it has said that.
    func runs(_ script: String, in front: ControlFront, says words: String) async throws {
        _ = try front.send(Depot.till, "run(script:)", args: #"["\#(script)"]"#)
        let wanted = try JSON.text([words])
        try await front.shows { $0.value(Depot.till, "present(lines:)") == wanted }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ControlTests {
    private func depot(_ more: String) async throws -> Depot {
        let depot = try await Depot()
        try await depot.install(more: more)
        return depot
    }

    // MARK: - start

    @Test(arguments: [(#"{"workers": 2}"#, 2), (#""session""#, 2)])
    func `start returns when the workers have registered, and nothing is left to do`(
        isolation: String, count: Int
    ) async throws {
        let depot = try await Depot()
        let sessions = isolation == #""session""# ? #", "sessions": ["a", "b"]"# : ""
        try await depot.install(more: #", "isolation": \#(isolation)"# + sessions)
        let started = try await depot.control("start", "till")
        #expect(started.status == 0, "\(started.errors)")
        let pids = started.outcome["pids"] as? [Int] ?? []
        #expect(pids.count == count && pids == depot.running.map { Int($0) }.sorted())
        #expect(try await depot.app()?["state"] as? String == "running")
        let again = try await depot.control("start", "till")
        #expect(again.outcome["result"] as? String == "unchanged")
        #expect(again.outcome["pids"] as? [Int] == pids)
        #expect(try await depot.control("start", "tll").status == 66)
    }

    // MARK: - stop

    @Test func `a stopped app stays stopped, and its fronts wait until it is started`()
        async throws
    {
        let depot = try await depot(#", "sessions": ["main"]"#)
        let front = try await depot.place.front(["--session", "main"])
        try await front.mounts(Depot.till)
        let refused = try await depot.place.run(["stop", "till"])
        #expect(refused.status == 1 && refused.lines.isEmpty)
        #expect(refused.errors.contains("end 1 session, which 1 front shows"), "\(refused)")
        // One that would not stay stopped is not.
        #expect(mkdir(depot.place.directory + "/till.stopped", 0o700) == 0)
        let forced = try await depot.control("stop", "till", "--force")
        #expect(forced.status == 75 && forced.errors.contains("till goes on"), "\(forced)")
        #expect(depot.running.count == 1 && !front.wasDisconnected)
        #expect(rmdir(depot.place.directory + "/till.stopped") == 0)
        let stopped = try await depot.control("stop", "till", "--force")
        #expect(stopped.status == 0 && stopped.outcome["sessions"] as? Int == 1)
        #expect(depot.running.isEmpty)
        let told = try await front.reads { $0.type == "disconnected" }
        #expect((told.object["reason"] as? String)?.contains("shutting down") == true)
        #expect(try await depot.app()?["state"] as? String == "stopped")
        #expect(try await depot.control("stop", "till").outcome["result"] as? String == "unchanged")
        // Neither a front nor a changed manifest starts it, nor the next napkind.
        let late = try await depot.attach()
        #expect(late.status == 69 && late.errors.contains("napkin-client start till"), "\(late)")
        #expect(try await depot.place.run(["schema", "till"]).status == 69)
        try await depot.install(more: #", "sessions": ["main"], "hang": 5"#, says: "app changed")
        try depot.install("{")
        try await depot.says("app removed")
        try await depot.install(more: #", "sessions": ["main"]"#, times: 2)
        #expect(try await depot.app()?["state"] as? String == "stopped")
        try await killed(depot.daemon)
        try await depot.place.daemon()
        #expect(try await depot.app()?["state"] as? String == "stopped")
        #expect(try await depot.attach().status == 69 && depot.running.isEmpty)
        #expect(try await depot.control("start", "till").status == 0)
        try await front.reads { $0.type == "resumed" }
        #expect(try await front.call(Depot.till, "ring()").object["value"] as? Int == 1)
        #expect(try await depot.held().keys.sorted() == ["main"])
    }

    /// A workplace whose daemon listens at the default socket, as that of a client does.
    private func home() -> Workplace {
        let place = Workplace(apps: InstalledApp.starts(), app: "till") { directory in
            ["XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory + "/other"]
        }
        chmod(place.directory, 0o700)
        return place
    }

    private func first(in place: Workplace, _ words: [String] = []) async throws -> Child {
        let child = try Child(
            Product.path("napkind"), ["--ready-fd", "1"] + words,
            environment: place.environment.merging(["XDG_STATE_HOME": place.state]) { $1 })
        _ = try await child.line { $0.hasPrefix("ready ") }
        return child
    }

    /// Also one that no client starts.
    @Test(arguments: [[], ["--no-spawn"], ["--socket"]])
    func `a napkind whose successor does not come up keeps running`(
        options: [String]
    ) async throws {
        let place = home()
        let socket = options == ["--socket"] ? ["--socket", place.socket] : []
        let first = try await first(in: place, socket)
        let directory = TemporaryDirectory()
        try Product.copy("napkin-client", to: directory("napkin-client"))
        let program = "#!/bin/sh\necho the new one is broken >&2\nexit 1\n"
        // A child that inherited the open file would keep it from running.
        let isWritten = Spawned.alone {
            FileManager.default.createFile(
                atPath: directory("napkind"), contents: Data(program.utf8),
                attributes: [.posixPermissions: 0o755])
        }
        #expect(isWritten)
        func run(_ words: String...) async throws -> (status: Int32, text: String) {
            let client = try Child(
                directory("napkin-client"), words + (socket.isEmpty ? options : socket),
                environment: place.environment)
            let (status, lines) = await client.result()
            return (status, lines.joined(separator: "\n") + (await client.allErrors()))
        }
        let refused = try await run("restart", "napkind")
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.text.contains("the new one is broken"), "\(refused)")
        #expect(refused.text.contains("process \(first.pid) keeps running"), "\(refused)")
        #expect(try await run("ping").status == 0)
        if socket.isEmpty {
            let checkup = try await run("doctor")
            #expect(checkup.status == 1, "\(checkup)")
            #expect(checkup.text.contains("does not start: the new one is broken"), "\(checkup)")
        }
        first.signal(SIGTERM)
        #expect(await first.exit() == 0)
        #expect(try await run("doctor").text.contains("there is a problem"))
    }

    @Test func `a client starts the next napkind as the former was started`() async throws {
        let place = home()
        func run(_ words: String...) async throws -> [String] {
            let client = try Child(
                Product.path("napkin-client"), words, environment: place.environment)
            await expectSuccess(client)
            return await client.allLines()
        }
        let first = try await first(in: place, ["--log-level=info"])
        let front = ControlFront(
            try Child(
                Product.path("napkin-client"), ["attach", "till", "--control"],
                environment: place.environment))
        try await front.mounts(Depot.till)
        #expect(try await run("restart", "napkind").joined().contains("runs as process"))
        #expect(await first.exit() == 0)
        let told = try await run("status", "--json").joined()
        let status = try #require(try JSON.object(told)["daemon"] as? [String: Any])
        #expect(status["stateDirectory"] as? String == place.state + "/napkin")
        #expect(FileManager.default.fileExists(atPath: place.state + "/napkin/napkind.log"))
        #expect(status["logLevel"] as? String == "info")
        #expect(try await front.call(Depot.till, "ring()").object["value"] as? Int == 1)
        #expect(!front.wasDisconnected)
        front.child.closeInput()
        kill(try #require((status["pid"] as? Int).map(Int32.init)), SIGTERM)
    }

    // MARK: - restart

    @Test func `a restart takes the new manifest, and fronts come back by themselves`()
        async throws
    {
        let depot = try await depot(#", "sessions": ["main"]"#)
        let front = try await depot.place.front(["--session", "lunch"])
        // It has its manifest's directory and environment, and the user's.
        let script = "echo $PWD $PATH $GRILL $TERM $HOME ${XDG_DATA_HOME##*/}"
        let home = String(cString: getenv("HOME"))
        try await depot.runs(
            script, in: front, says: "\(home) /usr/local/bin:/usr/bin:/bin \(home) data")
        _ = try await depot.ring("alone")
        let former = try await depot.place.workerPID()
        let refused = try await depot.place.run(["restart", "till"])
        #expect(refused.status == 1 && refused.errors.contains("3 sessions"), "\(refused)")
        #expect(try await depot.place.workerPID() == former)
        let program = try Product.path("StartWorker")
        let directory = depot.place.directory
        let variables = #"{"GRILL": "hot", "PATH": "/bin", "TERM": "none"}"#
        try depot.install(
            #"{"id": "till", "sessions": ["main"], "worker": {"program": "\#(program)", "#
                + #""directory": "\#(directory)", "environment": \#(variables)}}"#)
        try await depot.says("app changed")
        let done = try await depot.control("restart", "till", "--force")
        #expect(done.status == 0 && done.outcome["sessions"] as? Int == 3, "\(done)")
        let pid = try await depot.place.workerPID()
        #expect(pid != former && done.outcome["pids"] as? [Int] == [Int(pid)])
        try await front.reads { $0.type == "resumed" }
        try await front.mounts(Depot.till)
        try await depot.runs(
            script, in: front, says: "\(directory) /bin hot none \(home) data")
        // The session that nobody needs is not there again.
        #expect(try await depot.held().keys.sorted() == ["lunch", "main"])
        #expect(try await depot.app()?["sessions"] as? Int == 2)
        #expect(try await depot.app()?["crashes"] as? Int == 0)
        try depot.install(
            #"{"id": "till", "worker": {"program": "\#(program)", "directory": "/none"}}"#)
        try await depot.says("app changed", times: 2)
        let failed = try await depot.control("restart", "till", "--force")
        #expect(failed.status == 69 && failed.errors.contains("/none"), "\(failed)")
    }

    // MARK: - kill --force

    @Test
    func `a session whose process hangs is killed alone, and a restart opens each session again`()
        async throws
    {
        let depot = try await depot(#", "isolation": "session", "hang": 0"#)
        let victim = try await depot.place.front(["--session", "a"])
        let other = try await depot.place.front(["--session", "b"])
        let process = try #require(try await depot.held()["a"])
        try victim.send(Depot.till, "hold(milliseconds:)", args: "[600000]")
        #expect(try await depot.place.run(["kill", "a", "--force"]).status == 0)
        #expect(!depot.running.contains(process))
        // It is told, and does not open the session again.
        #expect(await victim.child.exit() == 69)
        #expect(await victim.child.allErrors().contains("kill --force"))
        #expect(try await depot.held().keys.sorted() == ["b"])
        #expect(try await other.call(Depot.till, "ring()").isOK && !other.wasDisconnected)
        #expect(try await depot.ring("a").1 == ["1"])
        #expect(try await depot.place.run(["kill", "a", "--force"]).status == 0)
        #expect(try await depot.place.run(["kill", "nothing", "--force"]).status == 66)
        // One that has been killed without force, and has not ended.
        let second = try await depot.place.front(["--session", "a"])
        let held = try #require(try await depot.held()["a"])
        try second.send(Depot.till, "hold(milliseconds:)", args: "[600000]")
        let first = try depot.place.client(["kill", "a"])
        while try await depot.app()?["sessions"] as? Int != 1 {}
        #expect(try await depot.place.run(["kill", "a", "--force"]).status == 0)
        #expect(!depot.running.contains(held))
        _ = await first.exit()
        #expect(try await depot.held().keys.sorted() == ["b"])
        let front = try await depot.place.front(["--session", "a"])
        for name in ["b", "c"] { _ = try await depot.ring(name) }
        let former = try await depot.held()
        #expect(try await depot.control("restart", "till", "--force").status == 0)
        try await front.reads { $0.type == "resumed" }
        let later = try await depot.held()
        #expect(later.keys.sorted() == ["a", "b", "c"])
        #expect(Set(later.values).union(former.values).count == 6)
        #expect(depot.running.count == 3)
    }

    @Test
    func `a silent process is not killed for one of its sessions, but by a forced restart or stop`()
        async throws
    {
        let depot = try await depot(#", "hang": 0"#)
        _ = try await depot.ring("a")
        _ = try await depot.ring("b")
        let worker = try await depot.place.workerPID()
        kill(worker, SIGSTOP)
        let refused = try await depot.place.run(["kill", "a", "--force"])
        // The till has opened `main` by itself.
        #expect(refused.status == 69 && refused.errors.contains("2 other sessions"), "\(refused)")
        #expect(refused.errors.contains("restart till --force"), "\(refused)")
        #expect(depot.running == [worker])
        #expect(try await depot.control("restart", "till", "--force").status == 0)
        #expect(try await depot.ring("b").1 == ["1"])
        let next = try await depot.place.workerPID()
        kill(next, SIGSTOP)
        try await killed(depot.daemon)
        try await depot.place.daemon()
        let blind = try await depot.control("stop", "till")
        #expect(blind.status == 69 && blind.errors.contains("has not registered"), "\(blind)")
        #expect(depot.running == [next])
        #expect(try await depot.control("stop", "till", "--force").status == 0)
        #expect(depot.running.isEmpty)
        #expect(try await depot.control("start", "till").status == 0)
    }
}
