// NarrowOutputTests: what commands print on a terminal of 80 columns.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NarrowOutputTests {
    private static let columns = 80

    private let place = Workplace()

    /// Starts a command on a terminal, without colours.
    private func terminal(_ words: [String]) throws -> Terminal {
        try Terminal(
            Product.path("napkin-client"), words + ["--socket", place.socket],
            columns: Self.columns, lines: 24,
            environment: place.environment.merging(["NO_COLOR": "1"]) { $1 })
    }

    private func expectToFit(_ drawn: String) {
        let lines = drawn.split(whereSeparator: \.isNewline)
        #expect(lines.count > 1, "\(drawn)")
        for line in lines { #expect(line.count <= Self.columns, "\(line)") }
    }

    @Test func `a listing breaks its lines between words`() async throws {
        try await place.daemon()
        let front = try await place.front()
        try await front.login()
        // So that there is a death to tell of.
        try await place.killWorker()
        try await front.reads { $0.type == "resumed" }
        for command in [
            "status", "ledger show rib-house", "doctor", "tree rib-house", "apps", "ls",
        ] {
            let terminal = try terminal(command.split(separator: " ").map(String.init))
            #expect(await terminal.exit() == 0, "\(command)")
            expectToFit(terminal.drawn)
        }
    }
}
