// SurvivalTests: takes that go on in the next worker, with every certain word.

import NapkinCore
import NapkinTesting
import Testing
import TranscriptionContract

@testable import TranscriptionFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SurvivalTests {
    /// A recorder whose states are kept, and also restored beside after each handler.
    private func withRecorder(
        _ body: (TestSession, Journal, () throws -> any TranscriptionPresentableListener)
            async throws -> Void
    ) async throws {
        let session = await TestSession.launch(TranscriptionApp.self, isDurable: true)
        let views = RecordingViews()
        let journal = views.journal
        views.record(Transcription.self) { view in
            var screen = Shown()
            view.onMessage { journal.note(screen.text($0)) }
        }
        _ = try await session.attach(views)
        do {
            try await body(session, journal) {
                try #require(views.newest(Transcription.self)?.listener)
            }
            try await session.expectQuiescent()
        } catch {
            await session.end()
            throw error
        }
        await session.end()
    }

    private func restart(_ session: TestSession) async throws {
        try await session.expectQuiescent()
        await session.restart { await TranscriptionApp.makeRoot(session.context) }
    }

    @Test func `words of fronts are heard on, the certain ones are there, the others are not`()
        async throws
    {
        try await withRecorder { session, journal, listener in
            try await listener().didTapRecord()
            try await listener().didHear(line: "0.50 = low")
            try await listener().didHear(line: "0.75 ~ and")
            #expect(journal.lines.last == "● Recording · 0.75 s | low | and")
            try await restart(session)
            // By the time of the newest certain word.
            #expect(journal.lines.contains("● Recording · 0.50 s | low | "))
            session.clock.advance(by: .milliseconds(300))
            try await listener().didHear(line: "= and slow")
            #expect(journal.lines.last == "● Recording · 0.80 s | low and slow | ")
            try await listener().didTapStop()
            journal.skip()
            try await restart(session)
            await journal.next("○ Stopped at 0.80 s | low and slow | ")
        }
    }

    @Test func `a transcript is read on after the newest certain words`() async throws {
        let paper = try Paper()
        let path = try paper.file("0.5 = one\ndamaged\n1 ~ tw\n2 = two\n")
        try await withRecorder { session, journal, listener in
            try await listener().didChoose(source: path)
            try await listener().didTapRecord()
            await session.clock.pass(.milliseconds(500))
            let skipped = "line 2 was skipped: it does not begin with seconds, such as 0.42"
            await journal.next("● Recording · 0.50 s · \(skipped) | one | ")
            await session.clock.pass(.milliseconds(500))
            await journal.next("● Recording · 1.00 s · \(skipped) | one | tw")
            await session.restart { await TranscriptionApp.makeRoot(session.context) }
            // The tentative words come again, at their time.
            await journal.next("● Recording · 0.50 s · \(skipped) | one | ")
            await session.clock.pass(.milliseconds(500))
            await journal.next("● Recording · 1.00 s · \(skipped) | one | tw")
            await session.clock.pass(.seconds(1))
            await journal.next("○ Ended at 2.00 s · \(skipped) | one two | ")
            #expect(!journal.lines.contains { $0.contains("one one") })
        }
    }

    @Test func `a transcript that cannot be read on ends the take, and keeps its words`()
        async throws
    {
        try await withRecorder { session, journal, listener in
            let path = try Paper().file("0.5 = one\n")
            let paper = try Paper()
            let kept = try paper.file("0.5 = one\n9 = two\n")
            try await listener().didChoose(source: kept)
            try await listener().didTapRecord()
            await session.clock.pass(.milliseconds(500))
            await journal.next("● Recording · 0.50 s | one | ")
            try paper.remove(kept)
            await session.restart { await TranscriptionApp.makeRoot(session.context) }
            await journal.next(
                "○ cannot open \(kept): No such file or directory, stopped at 0.50 s | one | ")
            // The directory of this one went with its paper: nothing of the take is lost by that.
            try await listener().didChoose(source: path)
            await #expect(throws: RemoteFault.self) { try await listener().didTapRecord() }
            #expect(journal.lines.last?.hasSuffix(" | one | ") == true)
        }
    }
}
