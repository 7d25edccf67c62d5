// ScreenTests: what the client shows when something is not as usual.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScreenTests {
    private let place = Workplace()

    @Test(arguments: TerminalSize.allCases)
    func `a front that may only look says so, and one that has lost its daemon, since when`(
        size: TerminalSize
    ) async throws {
        let daemon = try await place.daemon()
        #expect(try await place.run(["new-session", "rib-house"]).status == 0)
        let terminal = try await terminal(of: place, size, "attach rib-house --read-only")
        try await golden("states/read-only", size).appears(in: terminal, of: place)
        try await terminal.press("l")
        try await golden("states/refused", size).appears(in: terminal, of: place)
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
        try await losesItsDaemon(daemon, size)
    }

    /// A front that has lost its daemon says since when, and comes back.
    private func losesItsDaemon(_ daemon: Child, _ size: TerminalSize) async throws {
        let terminal = try await terminal(of: place, size, "attach rib-house")
        try await golden("states/connected", size).appears(in: terminal, of: place)
        let worker = try await place.workerPID()
        daemon.signal(SIGKILL)
        _ = await daemon.exit()
        kill(worker, SIGKILL)
        let word = size == .tiny ? "disconnected" : "next try in"
        let screen = try await terminal.shows(word) { $0.contains(word) }
        #expect(screen.contains("no napkind") || size != .large, "\(screen)")
        try await place.daemon()
        // What was shown is kept: nothing says that another worker shows it.
        try await golden("states/connected", size).appears(in: terminal, of: place, "again")
    }

    @Test(arguments: TerminalSize.allCases)
    func `an event that a dead worker had not answered is in doubt, and a screen always fits`(
        size: TerminalSize
    ) async throws {
        let place = try await Workplace.questions().started()
        let terminal = try await terminal(of: place, size, "attach questions")
        try await golden("states/desk", size).appears(in: terminal, of: place)
        try await terminal.press("3")
        try await golden("states/desk-waits", size).appears(in: terminal, of: place)
        try await place.killWorker()
        try await golden("states/in-doubt", size).appears(in: terminal, of: place)
        try await staysInDoubt(terminal, size)
        try await terminal.press("C-c")
        try await terminal.shows("ended with 0")
        try await fits(size, place)
    }

    /// Drawn anew, when all that the way back has brought has been taken in.
    private func staysInDoubt(_ terminal: Tmux, _ size: TerminalSize) async throws {
        try await terminal.resize(columns: size.columns, lines: size.lines + 1)
        let notice = size == .tiny ? " ● · the worker was" : " connected · the worker was"
        // It has as many lines as it needs.
        let first = size.lines + 1 - (size == .tiny ? 4 : size == .large ? 1 : 2)
        try await terminal.shows("what is in doubt, below") { screen in
            let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.indices.contains(size.lines) && lines[first].hasPrefix(notice)
        }
    }

    @Test(arguments: TerminalSize.allCases)
    func `a card shows its portrait, and what is wrong with its server while it is`(
        size: TerminalSize
    ) async throws {
        let server = try await CharactersServer()
        let place = Workplace(app: "characters", environment: ["CHARACTERS_SERVER": server.address])
        try await place.daemon()
        let terminal = try await terminal(of: place, size, "attach characters")
        // At the smallest size the buttons are what is seen of a list.
        try await terminal.shows("[m] More")
        try await terminal.press("Enter")
        try await golden("characters/card", size).appears(in: terminal, of: place)
        let troubles: [(arguments: [String], words: String)] = [
            (["--garbage"], "Bad data"), (["--delay", "5"], "Too slow"),
        ]
        for trouble in size == .usual ? troubles : [] {
            try await server.behaves(trouble.arguments)
            try await terminal.press("r")
            try await terminal.shows(trouble.words)
        }
        await server.stop()
        try await terminal.press("r")
        try await terminal.shows("Offline")
        try await server.start()
        // By itself.
        try await golden("characters/card", size).appears(in: terminal, of: place, "again")
    }

    /// A screen fits whatever its terminal becomes.
    private func fits(_ size: TerminalSize, _ place: Workplace) async throws {
        let terminal = try await terminal(of: place, .usual, "attach questions")
        try await golden("states/desk", .usual).appears(in: terminal, of: place)
        try await terminal.press("1")
        try await terminal.resize(columns: 10, lines: 3)
        try await golden("states/too-small", .usual).appears(in: terminal, of: place)
        try await terminal.resize(columns: 300, lines: 100)
        try await golden("states/huge", .usual).appears(in: terminal, of: place)
        try await terminal.resize(columns: size.columns, lines: size.lines)
        try await golden("states/desk-asks", size).appears(in: terminal, of: place)
    }

    private func golden(_ scene: String, _ size: TerminalSize) -> GoldenScreen {
        GoldenScreen(scene, columns: size.columns, lines: size.lines)
    }

    private func terminal(
        of place: Workplace, _ size: TerminalSize, _ arguments: String
    ) async throws -> Tmux {
        try await Tmux(client: arguments, of: place, columns: size.columns, lines: size.lines)
    }
}
