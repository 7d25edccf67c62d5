// Transcription: the only feature of the app: speech as text, while it is being spoken.

public import NapkinCore

/// The root and the only feature.
public enum Transcription: Feature {
    public static let id: FeatureID = "transcription.recorder"
    public typealias Presenting = TranscriptionPresentableCrossing
    public typealias Listening = TranscriptionPresentableListenerCrossing
}

/// Everything that a screen needs; the view decides what is bold, dim or coloured.
@Message
public struct TranscriptionModel: Hashable {
    /// The status: `Recording · 12.40 s`.
    public var statusLabel: String
    /// The text that will no longer change. Of a long take, only the end, as much as a screen can
    /// show.
    public var stableText: String = ""
    /// Which stable text this is: greater after each change of it.
    public var position: Int64 = 0
    /// False while a take is being opened.
    public var recordButtonEnabled: Bool = true
    public var isRecording: Bool = false
}

/// What has presumably been said since the stable text; the next moment may correct it.
@Message
public struct TentativeText: Hashable {
    public var words: String = ""
    /// The stable text that the words follow; beside another one they are not shown.
    public var position: Int64 = 0
}

/// What the recorder's view shows.
@Crossing @MainActor
public protocol TranscriptionPresentable: Presentable {
    /// Presents one value, so that no front ever shows a status with the text of another moment.
    func present(model: TranscriptionModel) async
    /// Presents words that need not survive, and do not wait for a disk: they may overtake the
    /// stable text that they follow.
    @Provisional func present(tentative: TentativeText) async
    /// The source of a take: the path of a transcript, or `nil` if fronts send the lines.
    func present(source: String?) async
}

/// What the recorder's view tells its interactor.
@Crossing
public protocol TranscriptionPresentableListener: PresentableListener {
    /// Begins a take, unless one is running, and clears what an earlier one left on the screen.
    /// Throws if the transcript cannot be opened.
    func didTapRecord() async throws
    /// Ends the take; tentative words are dropped.
    func didTapStop() async
    /// Ends the take, if there is one, and begins another.
    func didTapRestart() async throws
    /// Chooses the transcript of the next take; an empty path lets fronts send the lines. Throws
    /// during a take.
    func didChoose(source path: String) async throws
    /// A line of a take whose lines come from fronts: `= low and slow`, `~ low and`. Throws if it
    /// is malformed, or if no such take is running.
    func didHear(line: String) async throws
}
