// LogTests: what workers print, in files that they rotate, and what is said of their deaths.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LogTests {
    private static let till = "starts.till"

    /// A workplace with an app whose session `main` runs with nobody there.
    private let place = Self.shop()

    private static func shop(_ environment: [String: String] = [:]) -> Workplace {
        Workplace(apps: InstalledApp.starts(), app: "till", environment: environment)
    }

    private func log(_ place: Workplace) -> String { place.state + "/log/till.log" }

    /// Returns when the till has done it.
    private func tell(_ place: Workplace, _ method: String, _ arguments: String...) async throws {
        let (status, _, errors) = try await place.run(
            ["send", "main", Self.till, method] + arguments)
        try Failure.unless(status == 0, errors)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func number(_ line: String) -> Int? {
        line.hasPrefix("line ") ? Int(line.dropFirst(5).prefix { $0 != " " }) : nil
    }

    // MARK: - What is there

    @Test
    func `what a worker prints and logs is in a file of the user's alone, also without napkind`()
        async throws
    {
        let daemon = try await place.daemon()
        try await tell(place, "printLines(from:to:)", "1", "3")
        let (status, lines, errors) = try await place.run(["logs", "till"])
        #expect(status == 0 && errors == "", "\(errors)")
        #expect(lines.first?.contains("worker starts") == true, "\(lines)")
        #expect(lines.contains { $0.contains("till opened") })
        #expect(lines.compactMap(number) == [1, 2])
        #expect(try await place.listed()?["log"] as? String == log(place))
        #expect(try mode(log(place)) == 0o600)
        #expect(try mode(place.state + "/log") == 0o700)
        #expect(!daemon.errorText.contains("till opened"))
        try await place.fails(
            ["logs", "tille"], 66, saying: ["no app 'tille'", "did you mean 'till'?"])
        try await place.fails(["logs", "till", "--since", "noon"], 64, saying: ["noon"])
        // An app that has not run has none.
        try await place.fails(
            ["logs", "guest", "--follow"], 66, saying: ["no worker of guest", "attach guest"])
        try await goesOn(after: daemon)
    }

    /// A reader that follows sees each line once, over three files and no more.
    private func followsOverThreeFiles() async throws {
        let follower = try place.client(["logs", "till", "--follow"])
        _ = try await follower.line { $0.contains("till opened") }
        let (batch, oldest) = (6000, log(place) + ".2")
        var end = 1
        var last = -1
        repeat {
            try await tell(place, "printLines(from:to:)", "\(end)", "\(end + batch)")
            end += batch
            last = end - 1
            _ = try await follower.line { number($0) == last }
        } while !FileManager.default.fileExists(atPath: oldest)
        #expect(follower.lines.compactMap(number) == Array(0..<end))
        let files = try FileManager.default.contentsOfDirectory(atPath: place.state + "/log")
        #expect(files.sorted() == ["till.log", "till.log.1", "till.log.2"])
        let (_, lines, _) = try await place.run(["logs", "till"])
        let kept = lines.compactMap(number)
        #expect(kept.last == last && kept == Array((kept.first ?? 0)...last))
        // A log that is removed is there again.
        try FileManager.default.removeItem(atPath: log(place))
        while !FileManager.default.fileExists(atPath: log(place)) {
            _ = try await place.run(["ping"])
        }
        try await tell(place, "printLines(from:to:)", "\(end)", "\(end + 1)")
        _ = try await follower.line { number($0) == end }
        follower.signal(SIGINT)
        #expect(await follower.exit() == 0)
    }

    /// Without napkind and under the next one a worker goes on with its log.
    private func goesOn(after first: Child) async throws {
        try await tell(place, "ring()")
        try await killed(first)
        try await place.daemon()
        let worker = try await place.workerPID()
        let follower = try place.client(["logs", "till", "--follow"])
        try await tell(place, "printLines(from:to:)", "7", "8")
        _ = try await follower.line { number($0) == 7 }
        kill(worker, SIGKILL)
        let (died, line) = try await follower.line { $0.contains("worker died") }
        #expect(line.contains("its connection ended"))
        _ = try await follower.line(from: died) { $0.contains("worker starts") }
    }

    @Test
    func `since a time there is the first line with one, and who follows sees each line once`()
        async throws
    {
        try FileManager.default.createDirectory(
            atPath: place.state + "/log", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        chmod(place.state, 0o700)
        let old = "2020-01-01T00:00:00+0000 notice till: old\nwithout a time\n"
        try old.write(toFile: log(place), atomically: true, encoding: .utf8)
        try await place.daemon()
        try await tell(place, "printLines(from:to:)", "0", "1")
        let (_, all, _) = try await place.run(["logs", "till"])
        #expect(all.prefix(2).joined(separator: "\n") + "\n" == old)
        for since in ["1h", "2020-01-01T00:00:01Z", "2020-01-02"] {
            let (_, lines, _) = try await place.run(["logs", "till", "--since", since])
            #expect(lines.first?.contains("worker starts") == true, "\(since): \(lines)")
            #expect(lines.count == all.count - 2 && lines.compactMap(number) == [0])
        }
        let (_, lines, _) = try await place.run(
            ["logs", "till", "--since", "2020-01-01T01:00:00+01:00"])
        #expect(lines == all)
        try await followsOverThreeFiles()
    }

    @Test func `what a program prints that is no worker stays small`() async throws {
        let daemon = try await place.daemon(["--apps", place.directory + "/apps"])
        let apps = place.directory + "/apps"
        mkdir(apps, 0o700)
        let program = #"{"program": "/bin/sh", "arguments": ["-c", "exec yes"]}"#
        try #"{"id": "yes", "worker": \#(program), "restart": {"times": 0}}"#
            .write(toFile: apps + "/yes.json", atomically: true, encoding: .utf8)
        while try await place.run(["apps"]).lines.allSatisfy({ !$0.hasPrefix("yes") }) {}
        let front = try place.client(["attach", "yes", "--control"])
        let log = place.state + "/log/yes.log"
        var sizes: [Int] = []
        while sizes.count < 2 {
            _ = try await place.run(["ping"])
            sizes = (1...2).compactMap { number in
                let file = "\(log).\(number)"
                // Between two of the renamings one is missing.
                return try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
            }
        }
        #expect(sizes.allSatisfy { $0 <= 1_048_576 })
        let (status, lines, _) = try await place.run(["logs", "yes"])
        // Behind it may be napkind's words: a worker that says nothing for long is given up.
        #expect(status == 0 && lines.contains("y"))
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        #expect(await front.exit() != 0)
    }

    @Test func `the log of a napkind that a client has started stays small, and in its place`()
        async throws
    {
        let place = Workplace(apps: []) { directory in
            ["XDG_RUNTIME_DIR": directory, "XDG_STATE_HOME": directory]
        }
        chmod(place.directory, 0o700)
        let log = place.directory + "/napkin/napkind.log"
        mkdir(place.directory + "/napkin", 0o700)
        let old = String(repeating: "old\n", count: 300_000)
        try old.write(toFile: log, atomically: true, encoding: .utf8)
        func size() -> Int {
            // It is not there for a moment.
            ((try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? Int) ?? .max
        }
        func run(_ words: String...) async throws -> String {
            let client = try Child(
                Product.path("napkin-client"), words, environment: place.environment)
            await expectSuccess(client)
            return await client.allLines().joined()
        }
        _ = try await run("apps")
        let status = try JSON.object(try await run("status", "--json"))
        let pid = (status["daemon"] as? [String: Any])?["pid"] as? Int
        while size() > 1_048_576 { _ = try await run("ping") }
        #expect(rename(log, log + ".moved") == 0)
        while size() == .max { _ = try await run("ping") }
        kill(Int32(try #require(pid)), SIGTERM)
    }

    @Test func `a variable names the level that is logged, unless an option does`() async throws {
        let place = Self.shop(["NAPKIN_LOG_LEVEL": "info"])
        let daemon = try await place.daemon()
        try await daemon.errors { $0.contains("worker registered") }
        let (_, lines, _) = try await place.run(["logs", "till"])
        #expect(lines.contains { $0.contains("session launched") })
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        let quiet = try await place.daemon(["--log-level", "warning"])
        _ = try await place.workerPID()
        #expect(!quiet.errorText.contains("worker registered"))
        let wrong = Self.shop(["NAPKIN_LOG_LEVEL": "loud"])
        let refused = Child(try wrong.spawn())
        #expect(await refused.exit() == 64)
        #expect(await refused.allErrors().contains("'loud' is not a log level"))
    }

    // MARK: - Deaths

    @Test func `a trap's message is in the log and the list of apps, and a trace if it is wanted`()
        async throws
    {
        let place = Self.shop(["SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no,timeout=0s"])
        try await place.daemon()
        let follower = try place.client(["logs", "till", "--follow"])
        let front = try await place.front(["--session", "main"])
        try await front.mounts(Self.till)
        let start = ContinuousClock.now
        _ = try front.send(Self.till, "trap(_:)", args: #"["the drawer burns"]"#)
        // Its sockets are closed before that is printed.
        try await front.reads { $0.type == "disconnected" }
        let untilTold = ContinuousClock.now - start
        let (said, _) = try await follower.line { $0.contains("Fatal error: the drawer burns") }
        let (shown, _) = try await follower.line(from: said) {
            $0.contains("TillInteractor.trap(_:)") && $0.contains("TillFeature.swift")
        }
        let (_, line) = try await follower.line(from: shown) { $0.contains("worker died") }
        print("front told after \(untilTold), all logged after \(ContinuousClock.now - start)")
        #expect(line.contains("and said: ") && line.contains("the drawer burns"))
        let app = try #require(try await place.listed())
        #expect((app["death"] as? String)?.contains("Fatal error: the drawer burns") == true)
        let (_, lines, _) = try await place.run(["apps"])
        #expect(lines.contains { $0.hasPrefix("till: its last worker died: it was ended by") })
        let checks = try await place.run(["doctor"])
        #expect(checks.status == 0, "\(checks)")
        #expect(
            checks.lines.contains {
                $0.hasPrefix("note     till: ") && $0.contains("Fatal error: the drawer burns")
            }, "\(checks)")
        try await front.reads { $0.type == "resumed" }
    }

    @Test func `what a worker has started ends with it, also under the next napkind`()
        async throws
    {
        let first = try await place.daemon()
        let front = try await place.front(["--session", "main"])
        for signal in [SIGKILL, SIGTERM] { try await takesAlong(signal, front) }
        try await killed(first)
        try await place.daemon()
        for signal in [SIGKILL, SIGTERM] { try await takesAlong(signal, front, "next") }
    }

    private func takesAlong(
        _ signal: Int32, _ front: ControlFront, _ name: String = "first"
    ) async throws {
        let fifo = place.directory + "/\(name)\(signal)"
        #expect(mkfifo(fifo, 0o600) == 0)
        // It waits until somebody writes there.
        try await tell(place, "leave(_:_:)", "\"/bin/cat\"", "\"\(fifo)\"")
        var readers: [Int32] = []
        while readers.isEmpty {
            _ = try await place.run(["ping"])
            readers = Vitals.processes(mentioning: "/bin/cat", fifo)
        }
        kill(try await place.workerPID(), signal)
        try await front.reads { $0.type == "resumed" }
        for reader in readers { try await Vitals.end(of: reader) }
    }
}
