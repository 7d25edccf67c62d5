// TranscriptionTests: takes as a front sees them: begun, stopped, begun again, ended, damaged.

import NapkinCore
import NapkinTesting
import Testing
import TranscriptionContract

@testable import TranscriptionFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TranscriptionTests {
    private static let words = """
        0.50 ~ low
        1.00 = Low and slow.
        1.50 ~ al
        2.00 = Always.

        """

    @Test("a recorder begins ready, with the source that it was given")
    func begins() async throws {
        try await Studio.open { studio in
            #expect(
                studio.journal.lines
                    == ["source none", "○  |  | ", "○ Ready |  | ", "+ recorder"])
        }
    }

    @Test("a take is read at its own pace, up to its end")
    func records() async throws {
        try await Studio.open(Self.words) { studio in
            try await studio.listener.didTapRecord()
            #expect(studio.shown == "● Recording · 0.00 s |  | ")
            for line in [
                "● Recording · 0.50 s |  | low", "● Recording · 1.00 s | Low and slow. | ",
                "● Recording · 1.50 s | Low and slow. | al",
            ] {
                await studio.clock.wakeNext()
                await studio.journal.next(line)
            }
            #expect(studio.clock.now.offset == .milliseconds(1500))
            await studio.clock.wakeNext()
            await studio.journal.next("● Recording · 2.00 s | Low and slow. Always. | ")
            await studio.journal.next("○ Ended at 2.00 s | Low and slow. Always. | ")
        }
    }

    @Test("opening is shown, and the button waits for it")
    func opens() async throws {
        try await Studio.open(Self.words) { studio in
            try await studio.listener.didTapRecord()
            let opening = try #require(studio.journal.lines.first { $0.hasPrefix("○…") })
            #expect(opening.hasPrefix("○… Opening \(studio.paper.directory)"))
        }
    }

    @Test("a take that is stopped keeps what is certain")
    func stops() async throws {
        try await Studio.open(Self.words) { studio in
            try await studio.listener.didTapRecord()
            for _ in 1...3 { await studio.clock.wakeNext() }
            await studio.journal.next("● Recording · 1.50 s | Low and slow. | al")
            await studio.clock.waitForSleeper()
            try await studio.listener.didTapStop()
            #expect(studio.shown == "○ Stopped at 1.50 s | Low and slow. | ")
            // Nobody waits for the next line any more, and a second stop has nothing to say.
            #expect(studio.clock.sleeperCount == 0)
            let lines = studio.journal.lines.count
            try await studio.listener.didTapStop()
            #expect(studio.journal.lines.count == lines)
        }
    }

    @Test("a restart begins at the beginning, also in the middle")
    func restarts() async throws {
        try await Studio.open(Self.words) { studio in
            try await studio.listener.didTapRecord()
            for _ in 1...3 { await studio.clock.wakeNext() }
            await studio.journal.next("● Recording · 1.50 s | Low and slow. | al")
            await studio.clock.waitForSleeper()
            try await studio.listener.didTapRestart()
            #expect(studio.shown == "● Recording · 0.00 s |  | ")
            // The first line of the new take, by a clock that has gone on.
            await studio.clock.pass(.milliseconds(500))
            await studio.journal.next("● Recording · 0.50 s |  | low")
            #expect(studio.clock.now.offset == .milliseconds(2000))
            // What the older take had still to say is never heard.
            #expect(!studio.journal.lines.contains { $0.contains("Always.") })
        }
    }

    @Test("a take that has ended can be begun again")
    func recordsAgain() async throws {
        try await Studio.open("0.50 = once\n") { studio in
            for _ in 1...2 {
                try await studio.listener.didTapRecord()
                #expect(studio.shown == "● Recording · 0.00 s |  | ")
                await studio.clock.pass(.milliseconds(500))
                await studio.journal.next("○ Ended at 0.50 s | once | ")
            }
        }
    }

    @Test("a second tap begins no second take")
    func recordsOnce() async throws {
        try await Studio.open(Self.words) { studio in
            let listener = try studio.listener
            async let first: Void = listener.didTapRecord()
            async let second: Void = listener.didTapRecord()
            _ = try await (first, second)
            await studio.clock.waitForSleeper()
            #expect(studio.clock.sleeperCount == 1)
            #expect(studio.journal.lines.count { $0.hasPrefix("○…") } == 1)
        }
    }

    @Test("a take that is stopped while it is opened does not begin")
    func stopsOpening() async throws {
        try await Studio.open(Self.words) { studio in
            let listener = try studio.listener
            let record = dispatch {
                do {
                    try await listener.didTapRecord()
                } catch {
                    Issue.record("\(error)")
                }
            }
            await listener.didTapStop()
            await record.value
            #expect(studio.shown == "○ Ready |  | ")
            #expect(studio.clock.sleeperCount == 0)
            try await listener.didTapRecord()
            #expect(studio.shown == "● Recording · 0.00 s |  | ")
        }
    }

    @Test("a malformed line is skipped, named and does not end the take")
    func skips() async throws {
        let words = "0.50 = one\nthis was damaged\n\u{0}\n0.25 = late\n1.00 = two\n"
        try await Studio.open(words) { studio in
            try await studio.listener.didTapRecord()
            await studio.clock.wakeNext()
            await studio.journal.next(
                "● Recording · 0.50 s · line 2 was skipped: "
                    + "it does not begin with seconds, such as 0.42 | one | ")
            await studio.journal.next(
                "● Recording · 0.50 s · line 4 was skipped: "
                    + "its time is before 0.50 s, that of an earlier line | one | ")
            await studio.clock.wakeNext()
            await studio.journal.wait { $0.last?.hasPrefix("○ Ended at 1.00 s · line 4") == true }
            #expect(studio.shown?.hasSuffix("| one two | ") == true)
        }
    }

    @Test("a transcript that cannot be opened says so, to all and to who tapped")
    func fails() async throws {
        try await Studio.open { studio in
            let missing = studio.paper.directory + "/missing"
            try await studio.listener.didChoose(source: missing)
            await studio.journal.next("source \(missing)")
            let reason = "cannot open \(missing): No such file or directory"
            await expectRefusal(reason) { try await studio.listener.didTapRecord() }
            #expect(studio.shown == "○ \(reason) |  | ")
            // Another source, and all is well.
            let path = try studio.paper.file("0.50 = here\n")
            try await studio.listener.didChoose(source: path)
            try await studio.listener.didTapRecord()
            #expect(studio.shown == "● Recording · 0.00 s |  | ")
            await expectRefusal("a take is running") {
                try await studio.listener.didChoose(source: missing)
            }
        }
    }

    private func expectRefusal(_ words: String, _ event: () async throws -> Void) async {
        do {
            try await event()
            Issue.record("not refused: \(words)")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test("the lines of a take without a source are said by fronts")
    func hears() async throws {
        try await Studio.open { studio in
            let listener = try studio.listener
            await expectRefusal("nobody listens") { try await listener.didHear(line: "= early") }
            try await listener.didTapRecord()
            studio.clock.advance(by: .milliseconds(250))
            try await listener.didHear(line: "~ lo")
            #expect(studio.shown == "● Recording · 0.25 s |  | lo")
            try await listener.didHear(line: "0.75 = low")
            #expect(studio.shown == "● Recording · 0.75 s | low | ")
            await expectRefusal("the line is malformed: there is no ~ or =") {
                try await listener.didHear(line: "1.00 low")
            }
            await expectRefusal("before 0.75 s") { try await listener.didHear(line: "0.5 = l") }
            #expect(studio.shown == "● Recording · 0.75 s | low | ")
            await listener.didTapStop()
            #expect(studio.shown == "○ Stopped at 0.75 s | low | ")
            await expectRefusal("nobody listens") { try await listener.didHear(line: "= late") }
        }
    }

    @Test("a take goes on while nobody looks")
    func goesOn() async throws {
        try await Studio.open(Self.words) { studio in
            try await studio.listener.didTapRecord()
            await studio.clock.waitForSleeper()
            await studio.front.disconnect()
            for _ in 1...3 { await studio.clock.wakeNext() }
            await studio.clock.waitForSleeper()
            await studio.front.reconnect()
            #expect(studio.shown == "● Recording · 1.50 s | Low and slow. | al")
            #expect(!studio.journal.lines.contains { $0.hasPrefix("● Recording · 1.00 s") })
        }
    }

    @Test("a session that ends in the middle of a take leaves nothing")
    func leavesNothing() async throws {
        let clock = ManualClock()
        let paper = try Paper()
        let session = await TestSession.launch(
            TranscriptionApp.makeRoot(
                clock: AnyClock(clock), source: try paper.file(Self.words)),
            features: TranscriptionApp.features)
        let views = RecordingViews().record(Transcription.self)
        _ = try await session.attach(views)
        try await views.newest(Transcription.self)?.listener?.didTapRecord()
        await clock.waitForSleeper()
        await session.end()
        #expect(clock.sleeperCount == 0)
        #expect(session.unfinished == [])
    }
}
