// StatusTests: what `status` and `doctor` say of what runs, and of what is wrong.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StatusTests {
    /// A workplace with an app whose session `main` runs with nobody there.
    let place = Workplace(apps: InstalledApp.starts(), app: "till")

    /// The problems and notes, after the exit status has been checked.
    func found(
        _ place: Workplace, status expected: Int32
    ) async throws -> [(verdict: String, subject: String, finding: String)] {
        let (status, lines, errors) = try await place.run(["doctor", "--json"])
        #expect(status == expected && errors == "", "\(lines) \(errors)")
        let report = try JSON.object(lines.joined())
        #expect(report["well"] as? Bool == (expected == 0))
        let checks = try #require(report["checks"] as? [[String: Any]])
        return checks.compactMap { check in
            guard let verdict = check["verdict"] as? String, verdict != "fine",
                let subject = check["subject"] as? String,
                let finding = check["finding"] as? String
            else { return nil }
            #expect(verdict == "note" || check["advice"] as? String != nil, "\(check)")
            return (verdict, subject, finding)
        }
    }

    /// Returns when that has been found, and nothing else.
    func finds(
        _ place: Workplace, _ verdict: String, in subject: String, _ words: String
    ) async throws {
        let status: Int32 = verdict == "problem" ? 1 : 0
        let found = try await found(place, status: status)
        #expect(found.map(\.verdict) == [verdict], "\(found)")
        #expect(found.first?.subject == subject, "\(found)")
        #expect(found.first?.finding.contains(words) == true, "\(found)")
    }

    @Test
    func `what runs is told with its age and size, and a worker that does not answer as a problem`()
        async throws
    {
        let daemon = try await place.daemon()
        let worker = try await place.workerPID()
        let front = try await place.front(["--session", "main"])
        let (status, lines, errors) = try await place.run(["status"])
        #expect(status == 0 && errors == "", "\(errors)")
        #expect(lines.first?.contains("process \(daemon.pid), for ") == true, "\(lines)")
        #expect(lines.last == "all is well")
        let line = try #require(lines.first { $0.hasPrefix("till ") })
        let words = line.split(separator: " ")
        #expect(words.prefix(3) == ["till", "running", "\(worker)"] && words.contains("MiB"))
        #expect(words.suffix(4) == ["1", "1", "0", "-"], "\(line)")
        let (_, json, _) = try await place.run(["status", "--json"])
        let report = try JSON.object(json.joined())
        let own = try #require(report["daemon"] as? [String: Any])
        #expect(own["stateDirectory"] as? String == place.state)
        // A process of ours has more than 1 MiB, and less than 1 GiB.
        let bytes = try #require(own["bytes"] as? Int)
        #expect((1 << 20..<1 << 30).contains(bytes), "\(bytes)")
        let apps = try #require(report["apps"] as? [[String: Any]])
        let till = apps.first { $0["app"] as? String == "till" }
        #expect((1 << 20..<1 << 30).contains(till?["bytes"] as? Int ?? 0))
        #expect((0..<120).contains(till?["seconds"] as? Int ?? -1))
        let ping = try JSON.object(try await place.run(["ping", "--json"]).lines.joined())
        #expect(ping["pid"] as? Int32 == daemon.pid && (ping["microseconds"] as? Int ?? 0) > 0)
        let version = try JSON.object(try await place.run(["version", "--json"]).lines.joined())
        let programs = ["client", "daemon"].map { version[$0] as? [String: Any] }
        #expect(programs.allSatisfy { $0?["protocol"] as? String == "1.0" })
        #expect(programs[1]?["pid"] as? Int32 == daemon.pid)
        let (_, checks, _) = try await place.run(["doctor"])
        #expect(checks.contains("fine     till: running"), "\(checks)")
        #expect(
            checks.contains { $0.hasPrefix("fine     \(place.state): ") && $0.hasSuffix("free") })
        #expect(checks.contains("fine     \(place.state)/till.lock: process \(worker) holds it"))
        try await silenceIsAProblem(daemon, worker)
        withExtendedLifetime(front) {}
    }

    /// Runs a client or a daemon where a user's are, with no socket named.
    private func atDefault(
        _ program: String, _ words: [String], _ place: Workplace
    ) async throws -> (status: Int32, lines: [String]) {
        let child = try Child(
            Product.path(program), words,
            environment: place.environment.merging([
                "XDG_RUNTIME_DIR": place.directory, "XDG_STATE_HOME": place.directory + "/own",
            ]) { $1 })
        let (status, lines) = await child.result()
        return (status, lines)
    }

    @Test
    func `without a daemon that is said and none started, and one that listens elsewhere is named`()
        async throws
    {
        for command in ["status", "doctor"] {
            let (status, lines, _) = try await place.run([command])
            #expect(status == 69 && lines.first?.contains("no napkind at") == true, "\(lines)")
        }
        // Where a client starts one, that none runs yet is a note, and what status exits with.
        let note = "note     napkind: none runs at \(place.directory)/napkin/napkind.sock: "
        for (command, expected) in [("doctor", 0), ("status", 69)] as [(String, Int32)] {
            let (status, lines) = try await atDefault("napkin-client", [command], place)
            #expect(status == expected, "\(lines)")
            #expect(lines.contains { $0.hasPrefix(note) }, "\(lines)")
            #expect(!lines.joined().contains("--socket"))
        }
        #expect(Vitals.processes(mentioning: "napkind", place.directory).isEmpty)
        let state = place.directory + "/own/napkin"
        let daemon = try await place.daemon(["--state-dir", state])
        let (ended, said) = try await atDefault("napkin-client", ["doctor"], place)
        #expect(ended == 69 && !said.joined().contains("kill "), "\(said)")
        let found = "problem  napkind (process \(daemon.pid)): it listens on \(place.socket), "
        #expect(said.contains { $0.hasPrefix(found) }, "\(said)")
        // Another one that cannot be leaves no directory behind.
        #expect(try await atDefault("napkind", [], place).status == 69)
        #expect(!FileManager.default.fileExists(atPath: place.directory + "/napkin"))
    }

    @Test func `a manifest that is refused is a problem until it is mended, and so is its program`()
        async throws
    {
        let depot = try await Depot()
        try depot.install(#"{"id": "till", "worker": 5}"#)
        try await depot.says("manifest refused")
        try await finds(depot.place, "problem", in: "till", "till.json:1: ")
        try depot.install(try Depot.manifest(program: "/nowhere/till"))
        try await depot.says("app found")
        try await finds(depot.place, "problem", in: "till", "/nowhere/till cannot be started")
        try depot.install(try Depot.manifest())
        try await depot.says("app changed")
        #expect(try await depot.ring().1 == ["1"])
        // One that breaks while the app runs.
        try depot.install(#"{"id": "till", "worker": 5}"#)
        try await depot.says("manifest refused", times: 2)
        try await finds(depot.place, "problem", in: "till", "till.json:1: ")
        try depot.install(try Depot.manifest())
        try await depot.says("app changed", times: 2)
        #expect(try await found(depot.place, status: 0).isEmpty)
        let app = try #require(try await depot.app())
        #expect(app["death"] == nil && app["error"] == nil, "\(app)")
    }

    /// A worker that does not answer is a problem, also if it has not registered.
    private func silenceIsAProblem(_ first: Child, _ worker: Int32) async throws {
        kill(worker, SIGSTOP)
        try await finds(place, "problem", in: "till", "has not answered for 1 s")
        // What napkind knows of its sessions stays, and who is stopped is not said to be ended.
        let (_, lines, _) = try await place.run(["status"])
        let line = try #require(lines.first { $0.hasPrefix("till ") })
        #expect(line.split(separator: " ").suffix(4) == ["1", "?", "0", "-"], "\(line)")
        #expect(lines.contains { $0.contains("not ended for its silence") }, "\(lines)")
        try await killed(first)
        try await place.daemon()
        let lock = "\(place.state)/till.lock"
        let found = try await found(place, status: 1)
        #expect(found.map(\.subject) == ["till", lock], "\(found)")
        #expect(found.last?.finding.hasPrefix("process \(worker) holds it") == true)
        kill(worker, SIGCONT)
    }

    @Test(.enabled(if: Namespace.canMount))
    func `a disk that is nearly full is a problem, and a directory that cannot be watched`()
        async throws
    {
        let state = place.directory + "/state/napkin"
        let script = """
            mkdir -p '\(state)' && mount -t tmpfs -o size=8m,mode=700 tmpfs '\(state)' &&
            XDG_STATE_HOME='\(place.directory)/state' "$0" doctor --socket '\(place.socket)'
            """
        let shell = try Child(
            "/usr/bin/unshare",
            ["-rm", "/bin/sh", "-c", script, try Product.path("napkin-client")],
            environment: place.environment)
        _ = try await shell.line { $0 == "problem  \(state): 8 MiB free" }
        let unwatched = "echo 0 > /proc/sys/user/max_inotify_watches"
        let tally = try await TallyPlace(in: unwatched)
        #expect(try await tally.add(1, to: "a") == 1)
        let problems = try await found(tally.place, status: 1).filter { $0.verdict == "problem" }
        #expect(problems.map(\.subject).contains(tally.place.directory + "/data/napkin/apps"))
        #expect(problems.allSatisfy { $0.finding.contains("are noticed late") }, "\(problems)")
    }

    // MARK: - Levels

    @Test func `what is logged changes while it runs, and counts for the next worker and napkind`()
        async throws
    {
        let daemon = try await place.daemon()
        let follower = try place.client(["logs", "till", "--follow"])
        _ = try await follower.line { $0.contains("till opened") }
        let (status, lines, errors) = try await place.run(["log-level", "info", "till"])
        #expect(status == 0 && lines == ["till: info, formerly notice"], "\(errors)")
        let front = try await place.front(["--session", "other"])
        let (told, _) = try await follower.line { $0.contains("session launched") }
        try await place.killWorker()
        _ = try await follower.line(from: told + 1) { $0.contains("session launched") }
        #expect(follower.lines.filter { $0.contains("till opened") }.count >= 2)
        #expect(!daemon.errorText.contains("worker registered"))
        _ = try await place.run(["log-level", "info"])
        try await place.killWorker()
        try await daemon.errors { $0.contains("worker registered") }
        // What napkind notes in an app's log is there, whatever its own level is.
        _ = try await place.run(["log-level", "critical"])
        let end = follower.lines.count
        try await place.killWorker()
        _ = try await follower.line(from: end) { $0.contains("worker died") }
        // The third start in a short time has a delay.
        _ = try await follower.line(from: end) { $0.contains("session launched") }
        try await place.fails(
            ["log-level", "loud", "till"], 65, saying: ["'loud' is not a log level"])
        try await place.fails(["log-level", "info", "tille"], 66, saying: ["did you mean 'till'?"])
        // It cannot be kept for the next napkind, whichever it is.
        let mark = place.directory + "/till.log-level"
        unlink(mark)
        #expect(mkdir(mark, 0o700) == 0)
        for level in ["debug", "notice"] {
            try await place.fails(
                ["log-level", level, "till"], 75, saying: ["the level of till stays", mark])
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: place.directory)
        #expect(rmdir(mark) == 0 && !files.contains("till.log-level.new"))
        let changed = try await place.run(["log-level", "debug", "till"])
        #expect(changed.lines == ["till: debug, formerly info"], "\(changed)")
        try await keepLevel(after: daemon)
        withExtendedLifetime(front) {}
    }

    /// A level that was changed is known to the next napkind, and the one after, also if no
    /// worker lives to tell of it.
    private func keepLevel(after first: Child) async throws {
        var daemon = first
        let follower = try place.client(["logs", "till", "--follow"])
        _ = try await follower.line { $0.contains("till opened") }
        #expect(try await place.run(["log-level", "info", "till"]).status == 0)
        for hasRegistered in [false, true] {
            let worker = try await place.workerPID()
            try await killed(daemon)
            let end = follower.lines.count
            if !hasRegistered { kill(worker, SIGKILL) }
            daemon = try await place.daemon()
            if hasRegistered {
                // It has when a front is there.
                let front = try await place.front(["--session", "main"])
                kill(worker, SIGKILL)
                withExtendedLifetime(front) {}
            }
            _ = try await follower.line(from: end) { $0.contains("session launched") }
        }
        // As at first: nothing is kept.
        let former = try await place.run(["log-level", "notice", "till"])
        #expect(former.lines == ["till: notice, formerly info"], "\(former)")
        try await killed(daemon)
        try await place.daemon()
        let latter = try await place.run(["log-level", "debug", "till"])
        #expect(latter.lines == ["till: debug, formerly notice"], "\(latter)")
    }

    /// Under systemd each app has a name in the journal; here the journal is one of the test's own.
    @Test(.enabled(if: geteuid() == 0)) func `the journal names apps, and knows their processes`()
        async throws
    {
        let script = """
            mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal /run/log/journal &&
            { setpriv --pdeathsig KILL /lib/systemd/systemd-journald & } &&
            until [ -S /run/systemd/journal/stdout ]; do sleep 0.05; done &&
            exec systemd-cat -t napkind /bin/sh -c '
                JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$0" "$@" 1>&9 9>&-
            ' "$0" "$@" 9>&1
            """
        let place = Workplace(
            daemon: "/usr/bin/unshare",
            command: ["-m", "/bin/sh", "-c", script, try Product.path("napkind")],
            apps: InstalledApp.starts(), app: "till")
        let daemon = try await place.daemon()
        let reader = try Child(
            "/usr/bin/nsenter",
            [
                "-t", "\(daemon.pid)", "-m", "journalctl", "-D", "/run/log/journal", "-t", "till",
                "-o", "json", "-n", "all", "--follow", "--no-pager",
            ], environment: [:])
        defer { reader.signal(SIGKILL) }
        let (_, line) = try await reader.line { $0.contains("till opened") }
        let entry = try JSON.object(line)
        #expect(entry["_PID"] as? String == "\(try await place.workerPID())", "\(entry)")
        #expect(entry["SYSLOG_IDENTIFIER"] as? String == "till")
        let (status, _, errors) = try await place.run(
            ["send", "main", "starts.till", "printLines(from:to:)", "1", "2"])
        #expect(status == 0, "\(errors)")
        _ = try await reader.line { $0.contains("line 1 ") }
        let follower = try Child(
            "/usr/bin/nsenter",
            [
                "-t", "\(daemon.pid)", "-m", try Product.path("napkin-client"), "logs", "till",
                "--follow", "--since", "1h", "--socket", place.socket,
            ], environment: place.environment)
        defer { follower.signal(SIGKILL) }
        _ = try await follower.line { $0.contains("line 1 ") }
        #expect(follower.lines.contains { $0.contains("till opened") })
        #expect(!FileManager.default.fileExists(atPath: place.state + "/log"))
        // Its last words are there, too.
        let front = try await place.front(["--session", "main"])
        _ = try front.send("starts.till", "trap(_:)", args: #"["the drawer burns"]"#)
        _ = try await follower.line { $0.contains("Fatal error: the drawer burns") }
        try await front.reads { $0.type == "resumed" }
        while true {
            let (_, lines, _) = try await place.run(["apps"])
            let death = lines.first { $0.hasPrefix("till: its last worker died: ") } ?? ""
            if death.contains("and said: "), death.contains("the drawer burns") { break }
        }
    }
}
