// Transcription: the one feature of the app: what is being said, while it is being said.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  none of its own; presentables are @MainActor.

public import NapkinCore

/// The root, and all there is.
public enum Transcription: Feature {
    public static let id: FeatureID = "transcription.recorder"
    public typealias Presenting = TranscriptionPresentableCrossing
    public typealias Listening = TranscriptionPresentableListenerCrossing
}

/// All that a screen needs, as words and switches: what is bold, dim or coloured is the view's.
@Message
public struct TranscriptionModel: Hashable {
    /// `Recording · 12.40 s`
    public var statusLabel: String
    /// What will not change any more. Of a long take its end, as much as a screen can show.
    public var stableText: String
    /// What is taken to have been said since; the next moment may know better.
    public var tentativeText: String
    /// False while a take is being opened.
    public var recordButtonEnabled: Bool
    public var isRecording: Bool

    public init(
        statusLabel: String, stableText: String = "", tentativeText: String = "",
        recordButtonEnabled: Bool = true, isRecording: Bool = false
    ) {
        self.statusLabel = statusLabel
        self.stableText = stableText
        self.tentativeText = tentativeText
        self.recordButtonEnabled = recordButtonEnabled
        self.isRecording = isRecording
    }
}

/// What the recorder's view shows.
@Crossing @MainActor
public protocol TranscriptionPresentable: Presentable {
    /// One value, so that no front ever shows the texts of two moments.
    func present(model: TranscriptionModel) async
    /// What a take is read from: the path of a transcript, or `nil` when fronts say the lines.
    func present(source: String?) async
}

/// What the recorder's view tells its interactor.
@Crossing
public protocol TranscriptionPresentableListener: PresentableListener {
    /// Begins a take, unless one is running; what an earlier one left on the screen goes. Throws
    /// when the transcript cannot be opened.
    func didTapRecord() async throws
    /// Ends the take; what was tentative is dropped.
    func didTapStop() async
    /// Ends the take, if there is one, and begins another.
    func didTapRestart() async throws
    /// Chooses the transcript of the next take; an empty path lets fronts say the lines. Throws
    /// during a take.
    func didChoose(source path: String) async throws
    /// A line of a take whose lines are said by fronts: `= low and slow`, `~ low and`. Throws
    /// when it is malformed, and when no such take is running.
    func didHear(line: String) async throws
}
