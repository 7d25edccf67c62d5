// InstalledAppTests: apps that napkind finds by their manifests, and whose workers are programs.

import Foundation
import ProofSupport
import Testing

/// A workplace whose napkind links no till, and finds one if it is installed.
struct Depot {
    let place: Workplace
    let daemon: Child

    static let till = "starts.till"

    init(_ arguments: (String) -> [String] = { _ in [] }) async throws {
        place = Workplace(
            apps: [], app: "till", environment: ["GRILL": "cold"],
            inDirectory: { ["XDG_DATA_DIRS": $0 + "/shared"] })
        daemon = try await place.daemon(arguments(place.directory) + ["--log-level", "info"])
    }

    /// The user's directory of manifests.
    var apps: String { place.directory + "/data/napkin/apps" }

    static func manifest(
        _ id: String = "till", program: String? = nil, more: String = ""
    ) throws -> String {
        let program = try program ?? Product.path("StartWorker")
        return #"{"id": "\#(id)", "worker": {"program": "\#(program)"}\#(more)}"#
    }

    /// Puts a file in its place by a rename, as an installation does.
    func install(_ text: String, as name: String = "till", in directory: String? = nil) throws {
        try install(Data(text.utf8), as: name, in: directory)
    }

    func install(_ text: Data, as name: String, in directory: String? = nil) throws {
        let directory = directory ?? apps
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let path = "\(directory)/\(name).json"
        guard
            FileManager.default.createFile(
                atPath: path + ".new", contents: text,
                attributes: [.posixPermissions: 0o644]), rename(path + ".new", path) == 0
        else { throw Failure("\(path): errno \(errno)") }
    }

    func remove(_ name: String = "till") throws {
        try Failure.unless(unlink("\(apps)/\(name).json") == 0, "\(name): errno \(errno)")
    }

    /// Returns when the daemon has said it so often.
    func says(_ words: String, times: Int = 1) async throws {
        try await daemon.errors { $0.components(separatedBy: words).count > times }
    }

    func app(_ id: String = "till") async throws -> [String: Any]? {
        try await place.listed(id)
    }

    func ring(_ session: String = "till") async throws -> (Int32, [String], String) {
        try await place.run(["send", session, Self.till, "ring()", "--create", "--app", "till"])
    }

    func attach(_ app: String = "till") async throws -> (status: Int32, errors: String) {
        let (status, _, errors) = try await place.run(["attach", app, "--control"])
        return (status, errors)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct InstalledAppTests {
    @Test func `an app that is installed while napkind runs is found, and its events flow`()
        async throws
    {
        let depot = try await Depot()
        try await saysWhatToDo(depot.place)
        let missing = try await depot.attach().errors
        #expect(
            missing.contains("no app 'till'; it hosts none: `napkin-client new app"), "\(missing)")
        try await depot.place.fails(
            ["attach"], 64, saying: ["none is installed: `napkin-client new"])
        let program = try Product.path("StartWorker")
        // None of the directories has existed before.
        try depot.install(
            """
            {"id": "till", "title": "The Till", "version": "1.2", "sessions": ["main"], "worker": {
              "program": "\(program)", "arguments": ["--drawer", "left"],
              "environment": {"GRILL": "hot"}}}
            """)
        try await depot.says("app found")
        // It runs with nobody there.
        try await depot.says("worker registered")
        #expect(try await depot.place.sessions().map(\.name) == ["main"])
        let pid = try await depot.place.workerPID()
        let words = try String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)
            .split(separator: "\0").map(String.init)
        #expect(words.prefix(5) == [program, "--drawer", "left", "--worker", "till"])
        let listed = try #require(try await depot.app())
        #expect(listed["manifest"] as? String == depot.apps + "/till.json")
        #expect(listed["title"] as? String == "The Till")
        #expect(listed["version"] as? String == "1.2")
        let table = try await depot.place.run(["apps"]).lines
        #expect(
            table.dropFirst().first?.split(separator: " ").prefix(2) == ["till", "1.2"], "\(table)")
        let front = try await depot.place.front(["--session", "main"])
        _ = try front.send(Depot.till, "run(script:)", args: #"["echo grill $GRILL"]"#)
        try await front.shows { $0.value(Depot.till, "present(lines:)") == #"["grill hot"]"# }
        #expect(try await depot.attach("main").status == 0)
        #expect(try await depot.ring("main").1 == ["1"])
        #expect(try await depot.ring("main").1 == ["2"])
        kill(pid, SIGKILL)
        try await front.reads { $0.type == "resumed" }
        #expect(try await depot.ring("main").1 == ["1"])
        #expect(try await depot.place.workerPID() != pid)
    }

    /// Where there is nothing, a listing says what to do.
    private func saysWhatToDo(_ place: Workplace) async throws {
        for (command, words) in [
            ("status", "No app is installed: `napkin-client new app Counter`"),
            ("ls", "napkin-client attach"), ("ledger ls", "`napkin-client attach APP` opens one"),
            ("ledger verify", "Nothing is stored"),
            ("tree", "`napkin-client attach APP` opens one"),
        ] {
            let (_, lines, _) = try await place.run(command.split(separator: " ").map(String.init))
            #expect(lines.joined(separator: "\n").contains(words), "\(command): \(lines)")
        }
        #expect(try await place.run(["ls", "--json"]).lines == ["[]"])
    }

    @Test func `the first directory that has an app counts`() async throws {
        let depot = try await Depot { ["--apps", $0 + "/first", "--apps", $0 + "/second/"] }
        let first = depot.place.directory + "/first"
        let shared = depot.place.directory + "/shared/napkin/apps"
        try depot.install(try Depot.manifest(), in: shared)
        try await depot.says("app found")
        try depot.install(try Depot.manifest())
        try await depot.says("app changed", times: 1)
        #expect(try await depot.app()?["manifest"] as? String == depot.apps + "/till.json")
        try depot.install(try Depot.manifest(), in: depot.place.directory + "/second")
        try await depot.says("app changed", times: 2)
        // What is refused in the first one hides the others as well.
        try depot.install("{", in: first)
        try await depot.says("manifest refused")
        #expect(try await depot.app()?["error"] as? String ?? "" != "")
        try depot.install(try Depot.manifest(), in: first)
        try await depot.says("app found", times: 2)
        #expect(try await depot.app()?["manifest"] as? String == first + "/till.json")
        // So does what is in a directory that is refused.
        chmod(first, 0o777)
        try await depot.says("app removed", times: 2)
        #expect(try await depot.app()?["state"] as? String == "broken")
        chmod(first, 0o755)
        try await depot.says("app found", times: 3)
        #expect(try await depot.ring().1 == ["1"])
    }

    @Test
    func `what others may write is refused until they may not, and what is no worker is named`()
        async throws
    {
        let depot = try await Depot()
        let path = depot.apps + "/till.json"
        try depot.install(try Depot.manifest())
        try await depot.says("app found", times: 1)
        let wrong: [(path: String, mode: mode_t, words: String, right: mode_t)] = [
            (path, 0o664, "its group may write to it: chmod g-w it", 0o644),
            (path, 0o646, "everybody may write to it: chmod o-w it", 0o644),
            (depot.apps, 0o777, "its mode is 777, which gives others access", 0o755),
            (depot.apps, 0o1775, "its mode is 1775, which gives others access", 0o755),
        ]
        for (number, (path, mode, words, right)) in wrong.enumerated() {
            chmod(path, mode)
            try await depot.says("app removed", times: number + 1)
            try await depot.says(words)
            let refused = try await depot.attach()
            #expect(refused.status == 66, "\(refused)")
            chmod(path, right)
            try await depot.says("app found", times: number + 2)
        }
        try depot.remove()
        try await depot.says("app removed", times: wrong.count + 1)
        let elsewhere = depot.place.directory + "/elsewhere.json"
        try Depot.manifest().write(toFile: elsewhere, atomically: true, encoding: .utf8)
        symlink(elsewhere, path + ".new")
        rename(path + ".new", path)
        try await depot.says("it is a symbolic link: put the file itself here")
        try await programsAreNamed(depot)
    }

    @Test
    func `a manifest that is replaced is never read by half, and one that has gone takes the app`()
        async throws
    {
        let depot = try await Depot()
        try depot.install(try Depot.manifest())
        try await depot.says("app found")
        _ = try await depot.ring()
        let pid = try await depot.place.workerPID()
        let replacing = Task.detached {
            for number in 1...1000 {
                let title = String(repeating: "t", count: number % 128)
                try depot.install(try Depot.manifest(more: #", "title": "\#(title)""#))
            }
        }
        for number in 0..<10 {
            #expect(try await depot.ring().1 == ["\(number + 2)"])
            #expect(try await depot.app()?["state"] as? String == "running")
        }
        try await replacing.value
        try depot.install(try Depot.manifest(more: #", "title": "last""#))
        while try await depot.app()?["title"] as? String != "last" {}
        #expect(try await depot.place.workerPID() == pid)
        #expect(!depot.daemon.errorText.contains("manifest refused"))
        #expect(!depot.daemon.errorText.contains("app removed"))
        try await goesWithItsSessions(depot)
    }

    /// An app whose manifest has gone goes with its sessions, and stop ends them.
    private func goesWithItsSessions(_ depot: Depot) async throws {
        // It opens a session by itself.
        #expect(try await depot.place.run(["start", "till"]).status == 0)
        try depot.remove()
        while try await depot.app()?["error"] as? String == nil {}
        for name in ["main", "till"] {
            #expect(try await depot.place.run(["kill", name]).status == 0)
        }
        try await depot.says("app removed")
        try depot.install(try Depot.manifest())
        try await depot.says("app found", times: 2)
        #expect(try await depot.ring().1 == ["1"])
        try depot.remove()
        while try await depot.app()?["error"] as? String == nil {}
        let (status, lines, errors) = try await depot.place.run(["status"])
        #expect(status == 0, "\(lines) \(errors)")
        #expect(lines.contains { $0.contains("`napkin-client stop till --force` ends those") })
        let stopped = try await depot.place.run(["stop", "till", "--force"])
        #expect(
            stopped.lines.first?.hasPrefix("till: stopped; 2 sessions ended; it has no ") == true,
            "\(stopped)")
        #expect(try await depot.app() == nil)
        // What it has printed is there.
        let (_, log, _) = try await depot.place.run(["logs", "till"])
        #expect(log.last?.contains("worker ended") == true, "\(log)")
        try await depot.place.fails(["logs", "safe"], 66, saying: ["'safe'; it hosts none"])
    }

    /// A program that is no worker is named, and the next one is tried at once.
    private func programsAreNamed(_ depot: Depot) async throws {
        let missing = depot.place.directory + "/missing"
        let wrong: [(program: String, words: [String])] = [
            (missing, [missing, "No such file"]),
            (depot.place.directory, [depot.place.directory, "not an executable file"]),
            ("/bin/false", ["/bin/false", "exited with code 1"]),
            (try Product.path("napkind"), ["napkind", "exited with code 64, and said: "]),
        ]
        for (number, (program, words)) in wrong.enumerated() {
            try depot.install(try Depot.manifest(program: program))
            let isFirst = number == 0
            let told = isFirst ? "app found" : "app changed"
            try await depot.says(told, times: isFirst ? 6 : number)
            let refused = try await depot.attach()
            #expect(refused.status == 69, "\(refused)")
            for word in words { #expect(refused.errors.contains(word), "\(refused)") }
        }
        let (_, log, _) = try await depot.place.run(["logs", "till"])
        let deaths = log.count { $0.contains("worker died") }
        #expect(log.count { $0.contains("worker starts") } == deaths, "\(log)")
        try depot.install(try Depot.manifest())
        try await depot.says("app changed", times: wrong.count)
        #expect(try await depot.ring().1 == ["1"])
    }
}
