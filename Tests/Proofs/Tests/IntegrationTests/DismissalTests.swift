// DismissalTests: a view that is closed from a front, through napkind, its worker and the client.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DismissalTests {
    private func withDesk(_ body: (Workplace, ControlFront) async throws -> Void) async throws {
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app)
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Question.desk)
        try await body(place, front)
    }

    @Test func `R15: a script dismisses a modal view, for every front`() async throws {
        try await withDesk { place, front in
            let other = try await place.front()
            try await other.mounts(Question.desk)
            #expect(try await front.call(Question.desk, "didTapWrite()").isOK)
            try await other.mounts(Question.note)
            #expect(try await front.call(Question.note, "dismiss()").isOK)
            // What the dismissal routed is shown before its reply.
            #expect(front.screen.features == [Question.desk])
            try await other.shows { $0.features == [Question.desk] }
            #expect(try await other.call(Question.note, "dismiss()").errorCode == "gone")
            #expect(try await front.call(Question.desk, "dismiss()").errorCode == "refused")
        }
    }

    @Test func `R15: dismissals and the worker's own detach cross, and each is answered`()
        async throws
    {
        try await withDesk { _, front in
            for round in 1...20 {
                #expect(try await front.call(Question.desk, "didTapWrite()").isOK)
                let dismissed = try front.send(Question.note, "dismiss()")
                let torn = try front.send(Question.desk, "didTapTear()")
                var answers: [Int: String] = [:]
                while answers.count < 2 {
                    let line = try await front.reads { $0.type == "reply" }
                    answers[line.id] = line.isOK ? "ok" : line.errorCode
                }
                #expect(answers[torn] == "ok")
                #expect(answers[dismissed] == "ok" || answers[dismissed] == "gone")
                #expect(front.screen.features == [Question.desk], "round \(round)")
                #expect(front.mountCount(Question.note) == round)
            }
        }
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
