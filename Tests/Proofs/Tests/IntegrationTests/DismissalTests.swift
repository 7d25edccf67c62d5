// DismissalTests: a view that is closed from a front, through napkind, its worker and the client.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DismissalTests {
    private func withDesk(_ body: (Workplace, ControlFront) async throws -> Void) async throws {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Question.desk)
        try await body(place, front)
    }

    @Test func `R15: Escape closes what covers the screen of a terminal`() async throws {
        try await withDesk { place, front in
            let terminal = try Terminal(
                Product.path("napkin-client"), ["attach", Question.app, "--socket", place.socket],
                columns: 80, lines: 24, environment: place.environment)
            try await terminal.draws("questions.desk")
            #expect(try await front.call(Question.desk, "didTapWrite()").isOK)
            try await terminal.draws("Close")
            terminal.type("\u{1B}")
            try await front.shows { $0.features == [Question.desk] }
            terminal.type("q")
            #expect(await terminal.exit() == 0)
        }
    }
}
