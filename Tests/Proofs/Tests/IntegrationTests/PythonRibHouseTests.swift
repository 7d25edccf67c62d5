// PythonRibHouseTests: Rib House in a terminal from Python: its screens, its keys, its ends.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PythonRibHouseTests {
    private let place = Workplace()

    /// The lines of `napkin-client attach --plain`, until its keys.
    private func plainScreen(_ place: Workplace) async throws -> [String] {
        let client = try place.client(["attach", "rib-house", "--plain"])
        let (index, _) = try await client.line { $0.hasPrefix("[") }
        let lines = Array(client.lines[...index])
        client.closeInput()
        #expect(await client.exit() == 0)
        return lines
    }

    @Test func `keys of a script, a pipe and a terminal drive it, with the Swift client's screens`()
        async throws
    {
        try await place.daemon()
        for key in ["", "l", "p", "b", "o"] {
            let (status, lines) = try await place.python("ribhouse", ["--script", key]).result()
            #expect(status == 0)
            #expect(lines.split { $0.hasPrefix("——") }.count == key.count + 1)
            let last = try #require(lines.lastIndex { $0.hasPrefix("——") })
            #expect(Array(lines[last...]) == (try await plainScreen(place)), "\(key)")
        }
        try await keysOnAPipe()
        try await keysOnATerminal()
        try await theExampleOfTheReadme()
    }

    /// Keys on a pipe drive it, and its end leaves with 0.
    private func keysOnAPipe() async throws {
        let house = try place.python("ribhouse", ["--session", "pipe"])
        for (key, line) in [
            ("x", "[l] Login"), ("l", "[p] Pit Board  [o] Logout"), ("p", "[b] Back"),
        ] {
            try house.write(key)
            _ = try await house.line { $0 == line }
        }
        house.closeInput()
        #expect(await house.exit() == 0)
        #expect(house.errorText.isEmpty)
        let front = try await place.front(["--session", "pipe"])
        try await front.mounts(Feature.pitBoard)
    }

    /// Keys on a terminal need no line end, and Ctrl-C leaves with 0.
    private func keysOnATerminal() async throws {
        let terminal = try Terminal(
            Python.path(),
            [
                "-m", "napkin_front.ribhouse", "--session", "terminal", "--socket", place.socket,
            ],
            columns: 80, lines: 24, environment: place.environment)
        try await terminal.draws("[l] Login")
        terminal.type("l")
        try await terminal.draws("[o] Logout")
        terminal.type("\u{3}")
        #expect(await terminal.exit() == 0)
        #expect(!terminal.drawn.contains("Traceback"))
    }

    /// A signal detaches, which is no failure.
    private func signalsDetach() async throws {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let house = try place.python("ribhouse", [])
            _ = try await house.line { $0 == "[l] Login" }
            house.signal(signal)
            #expect(await house.exit() == 0)
            #expect(await house.allErrors() == "")
        }
    }

    @Test func `signals detach, mistakes are told, a killed worker is shown, and the end of all`()
        async throws
    {
        let daemon = try await place.daemon()
        try await mistakesAreTold()
        try await signalsDetach()
        let house = try place.python("ribhouse", ["--patience", "30"])
        try house.write("l")
        let (known, _) = try await house.line { $0.contains("[o] Logout") }
        try await place.killWorker()
        let (lost, _) = try await house.line(from: known) { $0.contains("disconnected since") }
        let (back, _) = try await house.line(from: lost) {
            $0.contains("· connected · saved ——")
        }
        _ = try await house.line(from: back) { $0.contains("[o] Logout") }
        let hasty = try place.python("ribhouse", ["--patience", "0.3"])
        _ = try await hasty.line { $0.contains("[o] Logout") }
        daemon.signal(SIGTERM)
        #expect(await hasty.exit() == 69)
        let words = ["shutting down", "no way back within 0.3 s"]
        expectAdvice(await hasty.allErrors(), from: "ribhouse", words)
    }

    /// Where no napkind is, and what is no session.
    private func mistakesAreTold() async throws {
        let nowhere = place.directory + "/none.sock"
        for (arguments, socket, status, words) in [
            ([], nowhere, 69, ["no napkind at", nowhere, "start it with"]),
            (["--session", "a b"], place.socket, 65, ["a b"]),
            ([], place.directory, 69, [place.directory]),
        ] as [([String], String, Int32, [String])] {
            let house = try place.python("ribhouse", arguments, socket: socket)
            #expect(await house.exit() == status)
            expectAdvice(await house.allErrors(), from: "ribhouse", words)
        }
        let mistaken = try place.python("ribhouse", ["--script", "lz"])
        #expect(await mistaken.exit() == 64)
        #expect(await mistaken.allErrors().contains("z in --script is no key"))
    }

    /// The example of the README prints the specials.
    private func theExampleOfTheReadme() async throws {
        let child = try Child(
            Python.path(), ["-X", "dev", "-c", try Python.example(), place.socket],
            environment: place.environment)
        let (status, lines) = await child.result()
        #expect(status == 0, "\(child.errorText)")
        #expect(lines == ["Hot Links", "Dino Beef Rib"])
    }
}
