// AskTests: what `send` says of an event that asks, and of one that throws, through real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AskTests {
    @Test func `send ends with what the handler threw, and is asked nothing`() async throws {
        let place = try await Workplace.questions().started()
        #expect(try await place.run(["new-session", Question.app]).status == 0)
        let reader = try await place.front(["--read-only"])
        let send = ["send", Question.app, Question.desk]
        let asked = try await place.run(send + ["didTapEmpty()"])
        #expect(asked.status == 0, "\(asked)")
        try await reader.showsOutcome("noFront")
        let failed = try await place.run(send + ["didTapFail()"])
        #expect(failed.status == 1 && failed.lines.isEmpty)
        #expect(failed.errors.contains("the drawer is locked"), "\(failed)")
    }
}
