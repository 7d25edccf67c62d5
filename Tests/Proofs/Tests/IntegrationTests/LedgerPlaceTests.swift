// LedgerPlaceTests: stored sessions of apps with several workers, and napkind's knowledge of them.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LedgerPlaceTests {
    static let spreads = [#""shared""#, #"{"workers": 2}"#, #""session""#]
    static let names = ["a", "b", "c", "d"]

    private func fill(_ place: TallyPlace) async throws {
        for (index, name) in Self.names.enumerated() {
            #expect(try await place.add(index + 1, to: name) == index + 1)
        }
    }

    @Test(arguments: spreads)
    func `stored sessions survive the death of everything, a stop and their manifest`(
        _ spread: String
    )
        async throws
    {
        let place = try await TallyPlace(isolation: spread)
        try await fill(place)
        try await place.restartAfterKill()
        let listed = try await place.listed()
        #expect(listed.keys.sorted() == Self.names, "\(listed)")
        for (index, name) in Self.names.enumerated() {
            #expect(try await place.sum(name) == index + 1)
            #expect(try await place.add(10, to: name) == index + 11)
        }
        try await stopsAndRestarts(place)
        try await outlivesItsManifest(place, spread)
    }

    @Test(
        arguments: [
            ("tally", "machine", spreads[0]), ("quick-tally", "process", spreads[1]),
            ("tally", "machine", spreads[2]),
        ])
    func `after an end in good order they are listed without a worker, with what the app keeps`(
        _ app: String, _ level: String, _ spread: String
    ) async throws {
        let place = try await TallyPlace(app, isolation: spread)
        try await keeps(nil, in: "new", place)
        try await fill(place)
        try await keeps(level, in: "running", place)
        try await place.restartInOrder()
        try await keeps(level, in: "stored", place)
        #expect(try await place.listed() == Dictionary(Self.names.map { ($0, "stored") }) { $1 })
        #expect(place.workers.isEmpty)
        let (_, lines, _) = try await place.place.run(["ls"])
        #expect(lines.filter { $0.hasSuffix("stored") }.count == 4, "\(lines)")
        // Each of what concerns one finds it.
        #expect(try await place.sum("a") == 1)
        #expect(try await place.place.run(["kill", "b"]).status == 0)
        #expect(try await place.place.run(["rename", "c", "lunch"]).status == 0)
        #expect(try await place.sum("lunch") == 3)
        let front = try await place.place.front(["--session", "d"])
        try await front.shows {
            $0.value(TallyPlace.tally, "present(sum:times:)") == "[4,1]"
        }
        try await place.place.fails(
            ["send", "b", TallyPlace.tally, "read()"], 66, saying: ["no session 'b'"])
        #expect(try await place.listed().keys.sorted() == ["a", "d", "lunch"])
        // A new session does not get the files of one that was renamed.
        #expect(try await place.add(1, to: "c") == 1)
        try await place.restartAfterKill()
        #expect(try await place.listed().keys.sorted() == ["a", "c", "d", "lunch"])
        #expect(try await place.sum("lunch") == 3)
        #expect(try await place.sum("c") == 1)
        for name in ["a", "c", "d", "lunch"] {
            #expect(try await place.place.run(["kill", name]).status == 0)
        }
        try await keeps(nil, in: "ended", place)
    }

    /// What an app keeps is told while a session is stored, whether a worker runs or not.
    private func keeps(_ level: String?, in state: String, _ place: TallyPlace) async throws {
        for command in ["apps", "status"] {
            let (_, lines, _) = try await place.place.run([command, "--json"])
            let apps =
                command == "apps"
                ? try JSON.array(lines.joined())
                : try JSON.object(lines.joined())["apps"] as? [[String: Any]] ?? []
            #expect(apps.map { $0["durability"] as? String } == [level], "\(state) \(apps)")
            let table = try await place.place.run([command]).lines
            let line = table.first { $0.hasPrefix(place.app + " ") } ?? ""
            let words = line.split(separator: " ").map(String.init)
            #expect(words.contains(level ?? "-"), "\(command), \(state): \(line)")
        }
    }

    /// Stopping and restarting an app ends no session that is stored.
    private func stopsAndRestarts(_ place: TallyPlace) async throws {
        let front = try await place.place.front(["--session", "a"])
        try await front.mounts(TallyPlace.tally)
        func control(_ action: String) async throws {
            let done = try await place.place.run([action, "tally", "--json"])
            #expect(done.status == 0, "\(done)")
            let outcome = try JSON.object(done.lines.joined())
            #expect(outcome["result"] as? String == "done", "\(done)")
            #expect(outcome["sessions"] as? Int == 0, "\(done)")
        }
        try await control("restart")
        let resumed = try await front.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 0)
        try await control("stop")
        #expect(try await place.listed() == Dictionary(Self.names.map { ($0, "stored") }) { $1 })
        try await control("start")
        for (index, name) in Self.names.enumerated() {
            #expect(try await place.sum(name) == index + 11)
        }
    }

    /// What an app has stored outlives its manifest, but for what was killed before.
    private func outlivesItsManifest(_ place: TallyPlace, _ spread: String) async throws {
        let front = try await place.place.front(["--session", "a"])
        try await front.mounts(TallyPlace.tally)
        #expect(try await place.place.run(["kill", "b"]).status == 0)
        let uninstall = try Child(
            Product.path("napkin-client"), ["uninstall", "tally"],
            environment: place.place.environment)
        #expect(await uninstall.exit() == 0)
        #expect(await uninstall.allLines().joined().contains("stored sessions are kept"))
        // Without it, the app is there until its worker has ended.
        while try await !place.place.run(["apps"]).lines.joined().contains("has gone") {}
        let stopped = try await place.place.run(["stop", "tally", "--force"])
        #expect(stopped.status == 0 && !stopped.lines.joined().contains(" ended"), "\(stopped)")
        #expect(try await place.listed().isEmpty && place.workers.isEmpty)
        try place.install(isolation: spread)
        while try await place.listed().isEmpty {}
        #expect(try await place.listed().keys.sorted() == ["a", "c", "d"])
        #expect(try await place.sum("c") == 13)
    }

    @Test(
        arguments: [
            (#""shared""#, false), (#""shared""#, true), (#"{"workers": 2}"#, false),
            (#"{"workers": 2}"#, true), (#""session""#, true),
        ])
    func `what a worker has stored is found that dies before it could register`(
        _ spread: String, isOverdue: Bool
    ) async throws {
        let place = try await TallyPlace(isolation: spread)
        try await fill(place)
        let held = place.workers
        for pid in held { kill(pid, SIGSTOP) }
        for pid in Vitals.processes(mentioning: place.place.socket, "--ready-fd\0") {
            kill(pid, SIGKILL)
            try await Vitals.end(of: pid)
        }
        let daemon = try await place.place.daemon()
        if isOverdue { try await daemon.errors { $0.contains("have not registered") } }
        for pid in held {
            kill(pid, SIGKILL)
            try await Vitals.end(of: pid)
        }
        #expect(try await place.sum("a") == 1)
        // A session that was stored has its name.
        #expect(try await place.add(10, to: "b") == 12)
        #expect(try await place.listed().keys.sorted() == Self.names)
    }

    @Test(arguments: [#"{"workers": 1}"#, #""session""#])
    func `fewer workers than before serve what the others have stored`(_ later: String)
        async throws
    {
        let place = try await TallyPlace(isolation: #"{"workers": 3}"#)
        try await fill(place)
        try await place.end()
        try place.install(isolation: later)
        try await place.place.daemon()
        #expect(try await place.listed().keys.sorted() == Self.names)
        for (index, name) in Self.names.enumerated() {
            #expect(try await place.add(10, to: name) == index + 11)
        }
        #expect(try await place.add(1, to: "new") == 1)
        try await place.restartAfterKill()
        #expect(try await place.listed().keys.sorted() == Self.names + ["new"])
    }

    @Test
    func `a stored session takes little of the disk, and its worker starts when a timer is due`()
        async throws
    {
        let place = try await TallyPlace(isolation: #""session""#)
        try await fill(place)
        try await place.end()
        var bytes = 0
        for file in try FileManager.default.contentsOfDirectory(atPath: place.ledger) {
            var status = stat()
            try #require(stat(place.ledger + "/" + file, &status) == 0)
            bytes += Int(status.st_blocks) * 512
        }
        print("ledger: \(bytes / Self.names.count) bytes on disk for each stored session")
        #expect(bytes < Self.names.count * 100_000)
        try await place.place.daemon()
        #expect(try await place.sum("d") == 4)
        try await place.end()
        let path = place.ledger + "/tally~1.ledger.names"
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let due = Int(Date().timeIntervalSince1970 * 1000) + 1500
        lines.insert("due \(due)", at: 2)
        var text = lines.dropLast().map { $0 + "\n" }.joined()
        let hash = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
        text += "end \(String(hash, radix: 16))\n"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        // The clock is read after each look: what takes long must not count as too early.
        func isDue() -> Bool { Int(Date().timeIntervalSince1970 * 1000) >= due }
        try await place.place.daemon()
        let listed = try await place.listed()
        #expect(Set(listed.values) == ["stored"] || isDue(), "\(listed)")
        while place.workers.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(isDue())
    }

    @Test func `names that were altered, cut off or of an older journal are not believed`()
        async throws
    {
        let place = try await TallyPlace(isolation: #"{"workers": 2}"#)
        try await fill(place)
        try await place.end()
        let path = place.ledger + "/tally~1.ledger.names"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("session a a\n") && text.contains("session c c\n"), "\(text)")
        let cases = [
            text.replacingOccurrences(of: "session a a", with: "session x x"),
            text.replacingOccurrences(of: "session a a\n", with: ""),
            String(text.dropLast(1)), String(text.dropLast(20)), "", "\n\n\n\n",
            text + "session y y\n", text.replacingOccurrences(of: "stamps ", with: "stamps 1"),
        ]
        for altered in cases {
            try altered.write(toFile: path, atomically: false, encoding: .utf8)
            try await place.place.daemon()
            #expect(try await place.listed().keys.sorted() == Self.names)
            try await place.end()
        }
        // The journal is that of a backup, so what was left beside it is of another.
        try await place.place.daemon()
        #expect(place.workers.isEmpty)
        try await place.end()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: place.ledger + "/tally~1.ledger")
        try await place.place.daemon()
        #expect(try await place.listed().keys.sorted() == Self.names)
    }
}
