// Studio: a recorder on stage with a clock that is moved by hand, and fronts that record.

import NapkinCore
import NapkinTesting
import TranscriptionContract

@testable import TranscriptionFeature

/// What a front shows, of all that it has been presented.
struct Shown {
    private var model = TranscriptionModel(statusLabel: "")
    private var tentative = TentativeText()

    /// `● Recording · 0.50 s | stable | tentative`
    mutating func text(_ message: Transcription.Presenting.Message) -> String {
        switch message {
        case .presentSource(let source): return "source \(source ?? "none")"
        case .presentModel(let model): self.model = model
        case .presentTentative(let tentative): self.tentative = tentative
        }
        let since = tentative.position == model.position ? tentative.words : ""
        return "\(model.isRecording ? "●" : "○")\(model.recordButtonEnabled ? "" : "…") "
            + "\(model.statusLabel) | \(model.stableText) | \(since)"
    }
}

@MainActor
final class Studio {
    let clock = ManualClock()
    let paper: Paper
    let session: TestSession
    let views = RecordingViews()
    let front: TestFront

    private init(_ transcript: String?) async throws {
        let paper = try Paper()
        let source = try transcript.map { try paper.file($0) }
        self.paper = paper
        // A second session, in which no time passes, restores the state and must present the same.
        session = await TestSession.launch(
            TranscriptionApp.makeRoot(clock: AnyClock(clock), source: source),
            features: TranscriptionApp.features, app: TranscriptionApp.id
        ) {
            await TranscriptionApp.makeRoot(clock: AnyClock(ManualClock()), source: source)
        }
        let journal = views.journal
        views.record(Transcription.self) { view in
            var screen = Shown()
            view.onMessage { journal.note(screen.text($0)) }
        }
        front = try await session.attach(views)
    }

    /// - Parameter transcript: what the source has; without one, fronts say the lines.
    static func open(
        _ transcript: String? = nil, _ visit: (Studio) async throws -> Void
    ) async throws {
        let studio = try await Studio(transcript)
        do {
            try await visit(studio)
            try await studio.session.expectQuiescent()
        } catch {
            await studio.session.end()
            throw error
        }
        await studio.session.end()
    }

    var journal: Journal { views.journal }

    /// The newest model that the front has been shown, as text.
    var shown: String? { journal.lines.last { $0.hasPrefix("●") || $0.hasPrefix("○") } }

    var listener: any TranscriptionPresentableListener {
        get throws {
            guard let listener = views.newest(Transcription.self)?.listener else {
                throw Missing()
            }
            return listener
        }
    }

    private struct Missing: Error {}
}
