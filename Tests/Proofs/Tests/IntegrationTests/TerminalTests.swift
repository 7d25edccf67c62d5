// TerminalTests: napkin-client on a terminal that is too small, and on none.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TerminalTests {
    private let place = Workplace()

    private func attached(
        to place: Workplace, columns: Int, lines: Int
    ) throws -> Terminal {
        try Terminal(
            Product.path("napkin-client"), ["attach", "rib-house", "--socket", place.socket],
            columns: columns, lines: lines, environment: place.environment)
    }

    @Test
    func `a terminal that is too small says what it needs, and then shows a screen with keys`()
        async throws
    {
        try await place.daemon()
        let terminal = try attached(to: place, columns: 10, lines: 3)
        for word in ["small", "20×5", "10×3"] { try await terminal.draws(word) }
        #expect(!terminal.drawn.contains("Login"))
        terminal.resize(columns: 80, lines: 24)
        for word in ["Login", "Quit", "connected"] { try await terminal.draws(word) }
        let shown = terminal.drawnCount
        terminal.resize(columns: 12, lines: 2)
        try await terminal.draws("20×5", after: shown)
        terminal.resize(columns: 80, lines: 24)
        terminal.type("l")
        try await terminal.draws("Logout")
        terminal.type("q")
        #expect(await terminal.exit() == 0)
    }

    @Test func `an unknown type of terminal is named, with the way out, before a daemon is asked`()
        async throws
    {
        let terminal = try Terminal(
            Product.path("napkin-client"), ["attach", "rib-house", "--socket", place.socket],
            columns: 80, lines: 24, environment: ["TERM": "no-such-terminal"])
        #expect(await terminal.exit() == 64)
        let text = terminal.drawn.replacingOccurrences(of: "\r\n  ", with: " ")
            .replacingOccurrences(of: "\r", with: "")
        expectAdvice(text, from: "napkin-client", ["no-such-terminal", "TERM", "--plain"])
    }
}
