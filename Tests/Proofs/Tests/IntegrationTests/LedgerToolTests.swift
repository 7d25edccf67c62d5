// LedgerToolTests: what napkin-client does with stored sessions, over real processes.

import Foundation
import ProofSupport
import Testing

extension TallyPlace {
    /// Runs `napkin-client ledger` and returns its first line of JSON.
    fileprivate func ledger(_ words: String...) async throws -> [String: Any] {
        try JSON.object(try await lines(words))
    }

    fileprivate func entries(_ words: String...) async throws -> [[String: Any]] {
        try JSON.array(try await lines(words))
    }

    private func lines(_ words: [String]) async throws -> String {
        let (status, lines, errors) = try await place.run(["ledger"] + words + ["--json"])
        try Failure.unless(status == 0, "\(words): \(status) \(errors)")
        return lines.joined()
    }

    fileprivate func epoch(of session: String) async throws -> Int? {
        try await ledger("show", session)["epoch"] as? Int
    }

    /// The numbers of a session's records that have changed a state.
    fileprivate func changes(in session: String) async throws -> [Int] {
        let shown = try await ledger("show", session)
        let records = shown["records"] as? [[String: Any]] ?? []
        return records.filter {
            ($0["changes"] as? [String] ?? []).contains { $0.hasPrefix("state of") }
        }.compactMap { $0["record"] as? Int }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct LedgerToolTests {
    static let shows = "present(sum:times:)"

    // MARK: - Looking

    @Test(arguments: [("tally", #""shared""#), ("quick-tally", #"{"workers": 2}"#)])
    func `what is stored is listed, shown and verified, whether workers run or not`(
        _ app: String, _ isolation: String
    ) async throws {
        let place = try await TallyPlace(app, isolation: isolation)
        for name in ["a", "b", "c"] { _ = try await place.add(5, to: name) }
        let front = try await place.place.front(["--session", "a"])
        try await front.mounts(TallyPlace.tally)
        for state in [true, false] {
            let entries = try await place.entries("ls", app)
            #expect(entries.compactMap { $0["session"] as? String } == ["a", "b", "c"])
            // The front of the first comes back by itself.
            #expect(
                entries.dropFirst().allSatisfy { $0["isRunning"] as? Bool == state },
                "\(entries)")
            #expect(
                entries.allSatisfy {
                    ($0["bytes"] as? Int ?? 0) > 50 && ($0["record"] as? Int ?? 0) > 0
                        && $0["level"] as? String == (app == "tally" ? "machine" : "process")
                })
            let shown = try await place.place.run(["ledger", "show", "a"])
            #expect(shown.status == 0, "\(shown)")
            let text = shown.lines.joined(separator: "\n")
            #expect(text.contains("tally.tally (1)") && text.contains(#""sum":5"#), "\(text)")
            #expect(text.contains("  front ") && text.contains("newest event"), "\(text)")
            let verified = try await place.place.run(["ledger", "verify", app])
            #expect(verified.status == 0 && verified.lines.allSatisfy { $0.hasSuffix("good") })
            if state { try await place.restartInOrder() }
        }
        try await place.place.fails(["ledger", "show", "x"], 66, saying: ["no session 'x'"])
        try await place.place.fails(["ledger", "ls", "x"], 66, saying: ["no app 'x'"])
        try await countsByMethods(place)
    }

    @Test(arguments: ["10", "0"])
    func `a stopped worker is named, and nobody waits for what it has stored`(_ hang: String)
        async throws
    {
        let place = try await TallyPlace(isolation: #""shared", "hang": \#(hang)"#)
        _ = try await place.add(5, to: "a")
        let worker = try #require(place.workers.first)
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        async let asked = [
            place.place.run(["ledger", "ls"]), place.place.run(["ledger", "verify"]),
            place.place.run(["ledger", "show", "a"]),
        ]
        for (status, lines, errors) in try await asked {
            #expect(status == 69 && lines.allSatisfy(\.isEmpty), "\(lines)")
            #expect(errors.contains("(pid \(worker)) has not answered for 1"), "\(errors)")
        }
    }

    // MARK: - Moving

    @Test func `an exported session goes on elsewhere, and its fronts' answers with it`()
        async throws
    {
        let place = try await TallyPlace()
        _ = try await place.add(5, to: "lunch")
        // So large that it is moved in many parts.
        let fill = ["send", "lunch", TallyPlace.tally, "fill(_:)", "40000"]
        #expect(try await place.place.run(fill).status == 0)
        let file = place.place.directory + "/lunch.napkin"
        #expect(try await place.place.run(["ledger", "export", "lunch", file]).status == 0)
        #expect(try Data(contentsOf: URL(filePath: file)).count > 200_000)
        _ = try await place.add(7, to: "lunch")
        try await place.place.fails(["ledger", "export", "lunch", file], 73, saying: ["exists"])
        try await place.place.fails(
            ["ledger", "import", file], 65, saying: ["already a session 'lunch'", "--name"])
        let copied = try await place.place.run(["ledger", "import", file, "--name", "dinner"])
        #expect(copied.status == 0, "\(copied)")
        #expect(try await place.sum("dinner") == 5)
        #expect(try await place.sum("lunch") == 12)
        try await place.restartAfterKill()
        #expect(try await place.add(1, to: "dinner") == 6)
        #expect(try await place.place.run(["ledger", "verify"]).status == 0)
        let other = try await TallyPlace(isolation: #""session""#)
        #expect(try await other.place.run(["ledger", "import", file]).status == 0)
        #expect(try await other.listed() == ["lunch": "stored"])
        let front = try await other.place.front(["--session", "lunch"])
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[5,1]" }
        try await other.restartAfterKill()
        #expect(try await other.sum("lunch") == 5)
        let quick = try await TallyPlace("quick-tally")
        try await quick.place.fails(["ledger", "import", file], 66, saying: ["no app 'tally'"])
    }

    // MARK: - Going back

    @Test func `a session that is rewound shows its fronts the older state`() async throws {
        let place = try await TallyPlace()
        let front = try await place.place.front(["--session", "main"])
        try await front.mounts(TallyPlace.tally)
        for amount in [1, 2, 4, 8] { _ = try await place.add(amount, to: "main") }
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[15,4]" }
        let changes = try await place.changes(in: "main")
        try #require(changes.count == 4)
        // The second has added 2.
        let target = "\(changes[1])"
        let (asked, lines, errors) = try await place.place.run([
            "ledger", "rewind", "main", target,
        ])
        #expect(asked == 1 && errors.contains("--yes"), "\(errors)")
        #expect(lines.first?.contains("back to record \(target) undoes") == true, "\(lines)")
        #expect(lines.joined(separator: " ").contains("cannot be undone"), "\(lines)")
        try await place.place.fails(
            ["ledger", "show", "main", "--record", "99999"], 65,
            saying: ["no record 99999 yet"])
        let epoch = try await place.epoch(of: "main")
        #expect(!front.wasDisconnected)
        let done = try await place.ledger("rewind", "main", target, "--yes")
        #expect(done["isDone"] as? Bool == true, "\(done)")
        try await front.reads { $0.type == "resumed" }
        // What its fronts know is of another history.
        let next = try await place.epoch(of: "main")
        #expect(next != epoch)
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[3,2]" }
        #expect(try await place.add(10, to: "main") == 13)
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[13,3]" }
        #expect(try await place.place.run(["ledger", "verify"]).status == 0)
        try await place.restartAfterKill()
        #expect(try await place.sum("main") == 13)
        #expect(try await place.epoch(of: "main") == next)
        try await place.place.fails(
            ["ledger", "rewind", "main", "1", "--yes"], 65, saying: ["as far back as"])
    }

    @Test(arguments: [#"{"workers": 2}"#, #""session""#])
    func `a handler that is under way when its session is rewound is interrupted`(
        _ isolation: String
    ) async throws {
        let place = try await TallyPlace("tally", isolation: isolation)
        let front = try await place.place.front(["--session", "main"])
        try await front.mounts(TallyPlace.tally)
        _ = try await place.add(1, to: "main")
        let id = try front.send(TallyPlace.tally, "addTwice(_:pausing:)", args: "[5,60000]")
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[6,2]" }
        let changes = try await place.changes(in: "main")
        let target = "\(changes[changes.count - 2])"
        let done = try await place.ledger("rewind", "main", target, "--yes")
        #expect(done["fronts"] as? Int == 1, "\(done)")
        #expect("\(done["undone"] ?? "")".contains("begun event 1 of front 1"), "\(done)")
        let fault = try await front.reply(to: id)
        #expect(!fault.isOK && fault.errorCode == "unknown")
        try await front.shows {
            $0.value(TallyPlace.tally, Self.shows) == "[1,1]"
                && $0.value(TallyPlace.tally, "present(interrupted:)")
                    == #"["addTwice(_:pausing:)"]"#
        }
        #expect(try await place.add(1, to: "main") == 2)
        // What is under way is not moved: the copy begins as interrupted.
        let file = place.place.directory + "/main.napkin"
        _ = try front.send(TallyPlace.tally, "addTwice(_:pausing:)", args: "[7,60000]")
        try await front.shows { $0.value(TallyPlace.tally, Self.shows) == "[9,3]" }
        #expect(try await place.place.run(["ledger", "export", "main", file]).status == 0)
        #expect(
            try await place.place.run(["ledger", "import", file, "--name", "copy"]).status == 0)
        let other = try await place.place.front(["--session", "copy"])
        try await other.shows {
            $0.value(TallyPlace.tally, Self.shows) == "[9,3]"
                && $0.value(TallyPlace.tally, "present(interrupted:)")?
                    .components(separatedBy: "addTwice").count == 3
        }
    }

    // MARK: - Copies

    @Test func `a copy that was made while it ran is gone back to`() async throws {
        let place = try await TallyPlace()
        _ = try await place.add(5, to: "a")
        let epoch = try await place.epoch(of: "a")
        let file = place.place.directory + "/copy.ledger"
        #expect(try await place.place.run(["ledger", "backup", "tally", file]).status == 0)
        _ = try await place.add(7, to: "a")
        _ = try await place.add(1, to: "b")
        try await place.place.fails(["ledger", "backup", "tally", file], 65, saying: ["it exists"])
        #expect(try await place.place.run(["stop", "tally", "--force"]).status == 0)
        let journal = place.ledger + "/tally.ledger"
        try FileManager.default.removeItem(atPath: journal + "-wal")
        try FileManager.default.removeItem(atPath: journal)
        try FileManager.default.copyItem(atPath: file, toPath: journal)
        #expect(try await place.place.run(["start", "tally"]).status == 0)
        #expect(try await place.listed() == ["a": "stored"])
        #expect(try await place.sum("a") == 5)
        let next = try await place.epoch(of: "a")
        #expect(next != epoch)
        try await place.restartAfterKill()
        #expect(try await place.epoch(of: "a") == next)
    }

    @Test(.enabled(if: Namespace.canMount))
    func `a full disk fails a copy, and nothing else`() async throws {
        let mount = """
            small="$XDG_DATA_HOME/small"; mkdir -p "$small" &&
            mount -t tmpfs -o size=64k,mode=700 tmpfs "$small"
            """
        let place = try await TallyPlace(in: mount)
        _ = try await place.add(5, to: "a")
        let fill = ["send", "a", TallyPlace.tally, "fill(_:)", "40000"]
        #expect(try await place.place.run(fill).status == 0)
        let small = place.place.directory + "/data/small/copy"
        try await place.place.fails(["ledger", "backup", "tally", small], 75, saying: ["full"])
        let missing = place.place.directory + "/none/copy"
        try await place.place.fails(
            ["ledger", "backup", "tally", missing], 69, saying: ["No such file"])
        #expect(try await place.add(5, to: "a") == 10)
        let file = place.place.directory + "/copy"
        #expect(try await place.place.run(["ledger", "backup", "tally", file]).status == 0)
        #expect(try await place.place.run(["ledger", "verify"]).status == 0)
    }

    /// Handlers that change and wait are counted by their methods.
    private func countsByMethods(_ place: TallyPlace) async throws {
        let front = try await place.place.front(["--session", "main"])
        try await front.mounts(TallyPlace.tally)
        _ = try await place.add(1, to: "main")
        _ = try await place.add(1, to: "main")
        try await front.call(TallyPlace.tally, "addTwice(_:pausing:)", "[5,1]")
        let (_, lines, _) = try await place.place.run(["tree", "main", "--ledger", "--json"])
        let trees = try JSON.array(lines.joined())
        let rows = try #require(trees.first?["ledger"] as? [[String: Any]])
        func row(_ method: String) -> [Int] {
            let row = rows.first { $0["method"] as? String == method } ?? [:]
            return [row["records"] as? Int ?? -1, row["begun"] as? Int ?? -1]
        }
        #expect(row("add(_:)") == [2, 0], "\(rows)")
        #expect(row("addTwice(_:pausing:)") == [2, 1], "\(rows)")
        #expect(rows.allSatisfy { ($0["bytes"] as? Int ?? 0) > 0 })
        let drawn = try await place.place.run(["tree", "main", "--ledger"])
        #expect(drawn.lines.contains { $0.contains("addTwice(_:pausing:)") })
        let plain = try await place.place.run(["tree", "main", "--json"])
        #expect(!plain.lines.joined().contains("ledger"))
    }
}
