// LedgerFileTests: what napkin-client reads of a journal's file, beside its worker and without one.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LedgerFileTests {
    /// Runs `napkin-client ledger` where there is no daemon, and no directory of one.
    private func run(
        _ words: [String], in home: String
    ) async throws -> (status: Int32, text: String, errors: String) {
        let names = ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME"]
        let child = try Child(
            Product.path("napkin-client"), ["ledger"] + words,
            environment: Dictionary(names.map { ($0, home) }) { $1 })
        child.closeInput()
        let (status, lines) = await child.result()
        let errors = await child.allErrors()
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        return (status, lines.joined(separator: "\n"), errors)
    }

    @Test func `a journal is read beside its stopped worker, and saved when it is damaged`()
        async throws
    {
        let tally = try await TallyPlace()
        let (home, left) = (tally.place.directory + "/home", tally.place.directory + "/left")
        for path in [home, left] { #expect(mkdir(path, 0o700) == 0) }
        for amount in 1...20 { _ = try await tally.add(amount, to: "lunch") }
        _ = try await tally.add(5, to: "dinner")
        let worker = try #require(tally.workers.first)
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        let used = tally.ledger + "/tally.ledger"
        let sound = try await run(["verify", "--file", used], in: home)
        #expect(sound.status == 0, "\(sound)")
        #expect(sound.text.hasPrefix("\(used): 2 sessions, "), "\(sound)")
        #expect(sound.text.hasSuffix(": good"), "\(sound)")

        let path = used + ".damaged"
        try FileManager.default.copyItem(atPath: used, toPath: path)
        var log = try Data(contentsOf: URL(filePath: used + "-wal"))
        kill(worker, SIGCONT)
        let frames = (try #require(log.lastIndex { $0 != 0 }) - 32) / 4120
        log[32 + frames / 2 * 4120 + 1000] ^= 1
        try log.write(to: URL(filePath: path + "-wal"))
        let damaged = try await run(["verify", "--file", path, "--json"], in: home)
        #expect(damaged.status == 1 && damaged.text.contains("the log is damaged"), "\(damaged)")
        let status = try await tally.place.run(["status"])
        #expect(status.status == 1, "\(status)")
        #expect(
            status.lines.joined().contains("`napkin-client ledger salvage --file \(path)`"),
            "\(status)")
        let saved = left + "/saved"
        let salvage = try await run(["salvage", "--file", path, "--to", saved], in: home)
        #expect(salvage.status == 1, "\(salvage)")
        #expect(salvage.errors.contains("\(path): the log is damaged"), "\(salvage)")
        #expect(salvage.text.contains("\(saved)/lunch.napkin: session lunch, "), "\(salvage)")
        let exported = try await run(
            ["export", "dinner", left + "/dinner", "--file", path], in: home)
        #expect(exported.status == 1, "\(exported)")
        let unknown = try await run(["export", "diner", "--file", path], in: home)
        #expect(unknown.status == 66 && unknown.errors.contains("'dinner'"), "\(unknown)")
        let again = try await run(["salvage", "--file", path, "--to", saved], in: home)
        #expect(again.status == 73, "\(again)")

        // All of it was there.
        for (session, file, sum) in [
            ("lunch", saved + "/lunch.napkin", 210), ("dinner", left + "/dinner", 5),
        ] {
            #expect(try await tally.place.run(["kill", session]).status == 0)
            #expect(try await tally.place.run(["ledger", "import", file]).status == 0)
            #expect(try await tally.sum(session) == sum)
        }
        let backup = left + "/tally.backup"
        #expect(try await tally.place.run(["ledger", "backup", "tally", backup]).status == 0)
        let copy = try await run(["verify", "--file", backup], in: home)
        #expect(copy.status == 0, "\(copy)")
        let unnamed = try await run(["export", "lunch", "--file", backup], in: home)
        #expect(unnamed.status == 64 && unnamed.errors.contains("--app"), "\(unnamed)")
        let none = try await run(["salvage", "--file", left + "/none.ledger"], in: home)
        #expect(none.status == 66, "\(none)")
    }
}
