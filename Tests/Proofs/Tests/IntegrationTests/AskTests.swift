// AskTests: questions that an interactor asks its fronts, through real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AskTests {
    private func withDaemon(_ body: (Workplace) async throws -> Void) async throws {
        let place = Workplace.questions()
        defer { place.cleanUp() }
        try await place.daemon()
        try await body(place)
    }

    private func withFront(_ body: (Workplace, ControlFront) async throws -> Void) async throws {
        try await withDaemon { place in try await body(place, try await place.front()) }
    }

    @Test(arguments: [("true", "yes"), ("false", "no")])
    func `a question reaches the front, and its answer the interactor`(
        answer: String, outcome: String
    ) async throws {
        try await withFront { _, front in
            let event = try front.empties()
            let ask = try await front.reads { $0.type == "ask" }
            #expect(ask.key == Question.confirm)
            #expect(ask.object["value"] as? String == "Empty the desk?")
            let mount = try #require(front.seen.first { $0.isMount(Question.desk) })
            #expect(ask.node == mount.node)
            try front.answers(ask.id, answer)
            #expect(try await front.reply(to: event).isOK)
            // What a handler presented is shown before its reply.
            #expect(front.screen.value(Question.desk, "present(outcome:)") == "\"\(outcome)\"")
        }
    }

    @Test func `when the last front dies, whoever attaches next is asked`() async throws {
        try await withFront { place, front in
            try front.empties()
            let id = try await front.isAsked()
            front.child.signal(SIGKILL)
            _ = await front.child.exit()
            let next = try await place.front()
            #expect(try await next.isAsked() == id)
            try next.answers(id, "true")
            try await next.showsOutcome("yes")
        }
    }

    @Test func `a malformed answer is explained, and the question stays open`() async throws {
        try await withFront { _, front in
            try front.empties()
            let id = try await front.isAsked()
            let mistakes = [
                ("true", "malformed", "not a JSON object"),
                (#"{"t":"answer","value":true}"#, "malformed", "id is missing"),
                (#"{"t":"answer","id":"one","value":true}"#, "malformed", "id"),
                (#"{"t":"answer","id":\#(id)}"#, "malformed", "value is missing"),
                (#"{"t":"answer","id":\#(id),"value":"maybe"}"#, "malformed", "Bool"),
                (#"{"t":"answer","id":\#(id),"value":null}"#, "malformed", "Bool"),
                (#"{"t":"answer","id":\#(id + 1),"value":true}"#, "gone", "no open question"),
            ]
            for (line, code, words) in mistakes {
                let complaint = try await front.complaint(about: line)
                #expect(complaint.errorCode == code, "\(line)")
                #expect(complaint.type == (line.contains("answer") ? "refused" : "reply"))
                let message = try JSON.text(complaint.object["error"])
                #expect(message.contains(words), "\(line): \(message)")
            }
            try front.answers(id, "true")
            try await front.showsOutcome("yes")
        }
    }

    @Test func `send ends with what the event's handler threw`() async throws {
        try await withFront { place, _ in
            let (status, lines, errors) = try await place.run(
                ["send", Question.app, Question.desk, "didTapFail()"])
            #expect(status == 1)
            #expect(lines.isEmpty)
            #expect(errors.contains("the drawer is locked"), "\(errors)")
        }
    }

    @Test func `send cannot answer, so that it is not asked`() async throws {
        try await withDaemon { place in
            #expect(try await place.run(["new-session", Question.app]).status == 0)
            let reader = try await place.front(["--read-only"])
            let (status, _, errors) = try await place.run(
                ["send", Question.app, Question.desk, "didTapEmpty()"])
            #expect(status == 0, "\(errors)")
            try await reader.showsOutcome("noFront")
        }
    }
}
