// TranscriptionScreen: the words so far, certain and tentative ones, and the recorder's buttons.
//
// Ownership  the presenter owns the recorder's state machine, the screen the texts being written.

import NapkinCore
import NapkinElements
import TranscriptionContract

@Observable
final class TranscriptionPresenter: TranscriptionPresentable, RefusalShowing {
    let listener: any TranscriptionPresentableListener
    private(set) var model = TranscriptionModel(statusLabel: "", recordButtonEnabled: false)
    @Presented private(set) var tentative: TentativeText = .init()
    @Presented private(set) var source: String?
    /// Why this front's last event was refused.
    var refusal: String?
    private let container: RecorderContainer

    init(listener: any TranscriptionPresentableListener) {
        self.listener = listener
        container = RecorderContainer(listener: listener)
    }

    func present(model: TranscriptionModel) async {
        self.model = model
        container.recorder.presented(isRecording: model.isRecording)
    }

    var label: String { model.recordButtonEnabled ? container.recorder.label : "Opening" }

    /// What the status already tells everybody need not be shown twice.
    var problem: String? {
        [refusal, container.recorder.refusal].compactMap(\.self).first { $0 != model.statusLabel }
    }

    /// Both return what they have sent, if anything.
    func tapped() -> RecorderStateMachine.Action? {
        model.recordButtonEnabled ? container.useRecorder.tap() : nil
    }

    func restartTapped() -> RecorderStateMachine.Action? {
        model.recordButtonEnabled ? container.useRecorder.restart() : nil
    }
}

struct TranscriptionScreen: View {
    let presenter: TranscriptionPresenter
    @State private var path = ""
    @State private var said = ""
    @FocusState private var isSaying: Bool
    private var model: TranscriptionModel { presenter.model }

    var body: some View {
        status.navigationTitle("TRANSCRIPTION")
            .onChange(of: presenter.source, initial: true) { path = presenter.source ?? "" }
        if let problem = presenter.problem { Text(problem).foregroundStyle(.error) }
        // Before the fields: the first element gets the focus first, and letters are then keys.
        Flow {
            Button(presenter.label) { follow(presenter.tapped()) }.keyboardShortcut("r")
            Button("Restart") { follow(presenter.restartTapped()) }.keyboardShortcut("s")
        }
        GroupBox("Transcript") { words.truncationMode(.head) }.frame(maxHeight: .infinity)
        if !model.isRecording {
            HStack {
                Text("Source").foregroundStyle(.secondary)
                TextField("a path; if none, type the words", text: $path)
                    .onSubmit { presenter.dispatch { try await $0.didChoose(source: path) } }
                    .id("source")
            }
        } else if presenter.source == nil {
            HStack {
                Text("Say").foregroundStyle(.secondary)
                TextField("words, then Enter", text: Binding(get: { said }, set: write))
                    .onSubmit { finish() }.id("said").focused($isSaying)
            }
        }
    }

    /// The field for words receives the focus as soon as it is there, if the person has begun.
    private func follow(_ action: RecorderStateMachine.Action?) {
        if let action { isSaying = action != .stop }
    }

    /// The text being written may still change, and is shown to everybody as tentative.
    private func write(_ words: String) {
        said = words
        presenter.dispatch { try await $0.didHear(line: "~ \(words)") }
    }

    private func finish() {
        guard !said.isEmpty else { return }
        presenter.dispatch(emptying: $said) { try await $0.didHear(line: "= \($1)") }
    }

    /// A recording is marked, and not only by its colour.
    private var status: Text {
        model.isRecording
            ? Text("● ").foregroundStyle(.error) + Text(model.statusLabel).foregroundStyle(.accent)
            : Text("○ ").foregroundStyle(.secondary) + Text(model.statusLabel)
    }

    /// The certain words in plain text, the others dimmed. Those that follow another text are
    /// certain by now, or dropped, or have come before the text that they follow.
    private var words: Text {
        let tentative = presenter.tentative
        let since = tentative.position == model.position ? tentative.words : ""
        let gap = model.stableText.isEmpty || since.isEmpty ? "" : " "
        return Text(model.stableText) + Text(gap) + Text(since).foregroundStyle(.secondary)
    }
}
