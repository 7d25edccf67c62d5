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
