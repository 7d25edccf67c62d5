// AskTests: questions that an interactor asks its fronts, through real processes.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AskTests {
    private func withDaemon(_ body: (Workplace) async throws -> Void) async throws {
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app)
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

    @Test func `the first answer wins, and the other front is told that it is over`() async throws {
        try await withFront { place, first in
            let second = try await place.front()
            try first.empties()
            let id = try await first.isAsked()
            #expect(try await second.isAsked() == id)
            try second.answers(id, "true")
            try await first.reads { $0.type == "askEnded" && $0.id == id }
            try await first.showsOutcome("yes")
            let late = try await first.complaint(
                about: #"{"t":"answer","id":\#(id),"value":false}"#)
            #expect(late.errorCode == "gone")
            try await second.showsOutcome("yes")
            #expect(!second.seen.contains { $0.type == "askEnded" })
        }
    }

    @Test func `the front that caused a question is killed with -9, and the other one answers`()
        async throws
    {
        try await withFront { place, first in
            let second = try await place.front()
            try first.empties()
            _ = try await first.isAsked()
            let id = try await second.isAsked()
            first.child.signal(SIGKILL)
            #expect(await first.child.exit() == -SIGKILL)
            try second.answers(id, "true")
            try await second.showsOutcome("yes")
        }
    }

    @Test func `a front that attaches late is asked what is open`() async throws {
        try await withFront { place, first in
            try first.empties()
            let id = try await first.isAsked()
            let second = try await place.front()
            #expect(try await second.isAsked() == id)
            try second.answers(id, "false")
            try await first.reads { $0.type == "askEnded" && $0.id == id }
        }
    }

    @Test func `when the last front leaves, the question ends without one`() async throws {
        try await withFront { place, front in
            try front.empties()
            _ = try await front.isAsked()
            front.child.signal(SIGTERM)
            _ = await front.child.exit()
            let next = try await place.front()
            try await next.showsOutcome("noFront")
            #expect(next.questionCount == 0)
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

    @Test func `a read-only front is not asked, may not answer, and does not count`() async throws {
        try await withFront { place, front in
            let reader = try await place.front(["--read-only"])
            try front.empties()
            let id = try await front.isAsked()
            let refusal = try await reader.complaint(
                about: #"{"t":"answer","id":\#(id),"value":true}"#)
            #expect(refusal.errorCode == "gone")
            front.child.signal(SIGTERM)
            try await reader.showsOutcome("noFront")
            #expect(reader.questionCount == 0)
        }
    }

    @Test(arguments: ["didTapTear()", "didTapReplace()"])
    func `a question is over when the node that asked is dismissed`(way: String) async throws {
        try await withFront { place, front in
            try await front.call(Question.desk, "didTapWrite()")
            let second = try await place.front()
            try front.send(Question.note, "didTapBurn()")
            let id = try await front.isAsked()
            #expect(try await second.isAsked() == id)
            // One that was not there when the question was asked hears of its end, too.
            let third = try await place.front()
            #expect(try await third.isAsked() == id)
            try front.send(Question.desk, way)
            for front in [front, second, third] {
                try await front.reads { $0.type == "askEnded" && $0.id == id }
                try await front.showsOutcome("gone")
            }
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

    @Test func `other events are handled while a question is open`() async throws {
        try await withFront { _, front in
            try front.empties()
            let first = try await front.isAsked()
            try front.empties()
            let second = try await front.isAsked()
            #expect(try await front.call(Question.desk, "didTapRelease()").isOK)
            try front.answers(second, "false")
            try await front.showsOutcome("no")
            try front.answers(first, "true")
            try await front.showsOutcome("yes")
        }
    }

    @Test func `a handler that waits outlives the front that sent its event`() async throws {
        try await withFront { place, first in
            let second = try await place.front()
            try first.send(Question.desk, "didTapWait()")
            try await second.shows { $0.value(Question.desk, "present(waiting:)") == "1" }
            first.child.signal(SIGKILL)
            #expect(await first.child.exit() == -SIGKILL)
            #expect(try await second.call(Question.desk, "didTapRelease()").isOK)
            #expect(second.screen.value(Question.desk, "present(waiting:)") == "0")
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
