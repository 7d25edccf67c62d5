// SlowFrontTests: fifty models a second, to a front that looks once a second.

import NapkinCore
import NapkinTesting
import Testing
import TranscriptionContract

@testable import TranscriptionFeature

@MainActor
@Suite(.timeLimit(.minutes(2)))
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

    @Test(
        "a front that looks once a second sees the newest, and stable text never goes back",
        arguments: TestLink.allCases)
    func seesTheNewest(link: TestLink) async throws {
        try await Studio.open(Self.transcript(), over: link) { studio in
            try await studio.listener.didTapRecord()
            let view = try #require(studio.views.newest(Transcription.self))
            for second in 1...Self.seconds {
                studio.front.hold()
                for _ in 1...Self.perSecond { await studio.clock.wakeNext() }
                // The next line is waited for, or the take has ended: this one has been presented.
                if second < Self.seconds { await studio.clock.waitForSleeper() }
                studio.front.release()
                let newest = second * Self.perSecond
                _ = await view.next { message in
                    if case .presentModel(let model) = message,
                        Self.lastWord(model.stableText) == newest
                    {
                        model
                    } else {
                        nil
                    }
                }
            }
            let texts = view.messages.compactMap { message in
                if case .presentModel(let model) = message { model.stableText } else { nil }
            }
            let numbers = texts.map(Self.lastWord)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(texts.allSatisfy { $0.utf8.count <= Transcript.stableBytesMax })
            // Values are handed over when they are looked at; frames are on their way before.
            if link == .direct { #expect(texts.count <= 2 * Self.seconds + 4) }
        }
    }
}
