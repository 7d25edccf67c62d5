// SlowFrontTests: fifty models a second, to a front that looks once a second.

import NapkinCore
import NapkinTesting
import Testing
import TranscriptionContract

@testable import TranscriptionFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SlowFrontTests {
    private static let seconds = 20
    private static let perSecond = 50

    /// Line by line a word, first as a guess and then for certain.
    private static func transcript() -> String {
        (1...seconds * perSecond).map { number in
            let hundredths = number * 100 / perSecond
            let time = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
            return "\(time) = word\(number)\n"
        }.joined()
    }

    private static func lastWord(_ text: String) -> Int {
        text.split(separator: " ").last.flatMap { Int($0.dropFirst(4)) } ?? 0
    }

    /// Lets a second of the transcript pass; returns when all of it has been presented.
    private static func second(_ number: Int, of studio: Studio) async {
        for _ in 1...perSecond { await studio.clock.wakeNext() }
        // The next line is waited for, or the take has ended.
        if number < seconds { await studio.clock.waitForSleeper() }
    }

    /// Returns when the front shows the last word of a second.
    private static func shows(_ second: Int, _ studio: Studio) async throws {
        let view = try #require(studio.views.newest(Transcription.self))
        _ = await view.next { message in
            if case .presentModel(let model) = message,
                lastWord(model.stableText) == second * perSecond
            {
                model
            } else {
                nil
            }
        }
    }

    /// The stable texts that the front has been shown, in order.
    private static func texts(_ studio: Studio) -> [String] {
        studio.views.all(Transcription.self).flatMap(\.messages).compactMap { message in
            if case .presentModel(let model) = message { model.stableText } else { nil }
        }
    }

    @Test("a front that looks once a second sees the newest, and stable text never goes back")
    func seesTheNewest() async throws {
        try await Studio.open(Self.transcript()) { studio in
            try await studio.listener.didTapRecord()
            for second in 1...Self.seconds {
                studio.front.hold()
                await Self.second(second, of: studio)
                studio.front.release()
                try await Self.shows(second, studio)
            }
            let texts = Self.texts(studio)
            let numbers = texts.map(Self.lastWord)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(texts.allSatisfy { $0.utf8.count <= Transcript.stableBytesMax })
        }
    }

    @Test("a front that comes back once a second sees nothing but the newest")
    func seesNothingElse() async throws {
        try await Studio.open(Self.transcript()) { studio in
            try await studio.listener.didTapRecord()
            for second in 1...Self.seconds {
                await studio.front.disconnect()
                await Self.second(second, of: studio)
                await studio.front.reconnect()
                try await Self.shows(second, studio)
            }
            #expect(Self.texts(studio).count <= 2 * Self.seconds + 4)
        }
    }
}
