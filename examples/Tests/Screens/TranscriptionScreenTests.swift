// TranscriptionScreenTests: the recorder on screens of three sizes.

import NapkinCore
import Testing
import TranscriptionContract

@testable import NapkinElements
@testable import NapkinTerminal
@testable import TranscriptionFront

/// Notes what the view sends, and answers when it is told to.
@MainActor
final class TranscriptionDesk: TranscriptionPresentableListener {
    private(set) var lines: [String] = []
    var refusal: RemoteFault?
    /// Whether answers wait for `answer()`.
    var isSlow = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private func note(_ line: String) async throws {
        lines.append(line)
        if isSlow { await withCheckedContinuation { waiting.append($0) } }
        if let refusal { throw refusal }
    }

    func answer() {
        let answered = waiting
        waiting = []
        for continuation in answered { continuation.resume() }
    }

    @MainActor func didTapRecord() async throws { try await note("record") }
    @MainActor func didTapStop() async { lines.append("stop") }
    @MainActor func didTapRestart() async throws { try await note("restart") }
    @MainActor func didChoose(source path: String) async throws { try await note("choose \(path)") }
    @MainActor func didHear(line: String) async throws { try await note("hear \(line)") }
}

@Suite(.timeLimit(.minutes(10)))
struct TranscriptionScreenTests {
    private let desk = TranscriptionDesk()

    private func shown(_ stage: Stage, source: String? = nil) async -> TranscriptionPresenter {
        let presenter = TranscriptionPresenter(listener: desk)
        stage.mounted.mount(
            Transcription.id.rawValue, view: TranscriptionScreen(presenter: presenter))
        await presenter.present(source: source)
        await presenter.present(model: TranscriptionModel(statusLabel: "Ready"))
        return presenter
    }

    private static func recording(
        _ status: String, _ stable: String = "", position: Int64 = 0
    ) -> TranscriptionModel {
        TranscriptionModel(
            statusLabel: status, stableText: stable, position: position, isRecording: true)
    }

    private static let long = (301...420).map { "word\($0)" }.joined(separator: " ")

    @Test(arguments: goldenSizes)
    func `the recorder looks like this`(size: ScreenSize) async throws {
        let stage = Stage(size)
        let golden = Golden("transcription", size)
        let presenter = await shown(stage, source: "/tmp/morning.transcript")
        golden.take("Ready.", stage)
        await presenter.present(
            model: TranscriptionModel(
                statusLabel: "Opening /tmp/morning.transcript", recordButtonEnabled: false))
        golden.take("Being opened.", stage)
        await presenter.present(
            model: Self.recording("Recording · 3.70 s", "Oak first, then hickory.", position: 1))
        await presenter.present(tentative: TentativeText(words: "the brisket", position: 1))
        golden.take("Certain and tentative words.", stage)
        await presenter.present(
            model: Self.recording("Recording · 60.00 s", Self.long, position: 2))
        await presenter.present(tentative: TentativeText(words: "and on", position: 2))
        golden.take("Of a long text its end.", stage)
        await presenter.present(
            model: Self.recording(
                "Recording · 61.00 s · line 7 was skipped: there is no ~ or = before its words",
                "Low and slow.", position: 3))
        golden.take("A malformed line.", stage)
        await presenter.present(
            model: TranscriptionModel(
                statusLabel: "Ended at 62.00 s", stableText: "Low and slow.", position: 4))
        golden.take("Ended.", stage)
        await presenter.present(source: nil)
        await presenter.present(model: Self.recording("Recording · 0.00 s"))
        stage.press(.tab, .tab)
        stage.type("low and")
        golden.take("A take whose words are said here.", stage)
        try golden.check()
    }

    @Test func `uncertain words look different from certain ones`() async {
        let stage = Stage()
        let presenter = await shown(stage)
        await presenter.present(model: Self.recording("Recording", "certain", position: 1))
        await presenter.present(tentative: TentativeText(words: "perhaps", position: 1))
        let spans = stage.draw().lines.flatMap(\.spans)
        #expect(spans.contains(TextSpan("certain", .plain)))
        #expect(spans.contains(TextSpan("perhaps", .secondary)))
    }

    @Test func `uncertain words are shown only with the text that they follow`() async {
        let stage = Stage()
        let presenter = await shown(stage)
        await presenter.present(model: Self.recording("Recording", "Low.", position: 1))
        await presenter.present(tentative: TentativeText(words: "and sl", position: 1))
        #expect(stage.text.contains("Low. and sl"))
        // These have overtaken the text that they follow, which waits to be durable.
        await presenter.present(tentative: TentativeText(words: "alw", position: 2))
        #expect(!stage.text.contains("alw"))
        await presenter.present(model: Self.recording("Recording", "Low. And slow.", position: 2))
        #expect(stage.text.contains("Low. And slow. alw"))
        await presenter.present(model: Self.recording("Recording", "Low. Always.", position: 3))
        #expect(!stage.text.contains("alw"))
    }

    /// Waits until the recorder's engine, which is elsewhere, has asked for something.
    private func heard(_ line: String) async throws {
        while desk.lines.last != line {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `the button records and stops, once for each tap`() async throws {
        let stage = Stage()
        let presenter = await shown(stage, source: "/tmp/a")
        desk.isSlow = true
        stage.press(.character("r"), .character("r"), .character("s"))
        try await heard("record")
        #expect(desk.lines == ["record"])
        await presenter.present(model: Self.recording("Recording"))
        desk.isSlow = false
        desk.answer()
        // The label says "Stop" for both; only an answered tap lets the next one through.
        while desk.lines.count < 2 {
            try Task.checkCancellation()
            stage.press(.character("r"))
            await Task.yield()
        }
        #expect(desk.lines == ["record", "stop"])
    }

    @Test func `a button that is not enabled does nothing`() async {
        let stage = Stage()
        let presenter = await shown(stage)
        await presenter.present(
            model: TranscriptionModel(statusLabel: "Opening", recordButtonEnabled: false))
        stage.press(.character("r"), .character("s"))
        #expect(desk.lines.isEmpty)
    }

    @Test func `words are sent while they are written, and as certain with Enter`() async throws {
        let stage = Stage()
        let presenter = await shown(stage)
        stage.press(.character("r"))
        try await heard("record")
        await presenter.present(model: Self.recording("Recording"))
        // Whoever has begun such a take can speak at once.
        #expect(stage.focused == "said")
        stage.type("hi")
        stage.press(.enter, .enter)
        #expect(desk.lines == ["record", "hear ~ h", "hear ~ hi", "hear = hi"])
    }

    @Test func `a source is chosen, and what is wrong with it is said once`() async throws {
        let stage = Stage()
        let presenter = await shown(stage, source: "/tmp/a")
        stage.press(.tab, .tab)
        #expect(stage.focused == "source")
        stage.type("b")
        stage.press(.enter)
        #expect(desk.lines == ["choose /tmp/ab"])
        desk.refusal = RemoteFault(.failed, "cannot open /tmp/ab")
        await presenter.present(model: TranscriptionModel(statusLabel: "cannot open /tmp/ab"))
        stage.press(.tab, .character("r"))
        try await heard("record")
        #expect(stage.text.components("cannot open /tmp/ab") == 1)
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
