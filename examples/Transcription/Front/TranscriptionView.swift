// TranscriptionView: the words so far, certain and tentative ones, and the recorder's buttons.
//
// Layer      example, front.
// Isolation  @MainActor.
// Ownership  owns the recorder's state machine and the text being written.

import NapkinCore
import NapkinTerminal
import Observation
import TranscriptionContract

@Observable
final class TranscriptionView: TranscriptionPresentable, ElementView, RefusalShowing {
    let listener: any TranscriptionPresentableListener
    private var model = TranscriptionModel(statusLabel: "", recordButtonEnabled: false)
    @Presented private var tentative: TentativeText = .init()
    private var source: String?
    private var recorder = RecorderStateMachine()
    /// Why this front's last event was refused.
    var refusal: String? {
        // What the status already tells everybody need not be shown twice.
        didSet { if refusal == model.statusLabel { refusal = nil } }
    }
    private let path = TextFieldModel()
    private let said = TextFieldModel()
    /// The field for words receives the focus as soon as it is there.
    private var isSaying = false

    init(listener: any TranscriptionPresentableListener) {
        self.listener = listener
    }

    // MARK: - TranscriptionPresentable

    func present(model: TranscriptionModel) async {
        self.model = model
        recorder.presented(isRecording: model.isRecording)
    }

    func present(source: String?) async {
        self.source = source
        path.replace(with: source ?? "")
    }

    // MARK: - A person's actions

    private func tapped() {
        guard model.recordButtonEnabled else { return }
        tap(recorder.tapped())
    }

    private func restartTapped() {
        guard model.recordButtonEnabled else { return }
        tap(recorder.restartTapped())
    }

    private func tap(_ action: RecorderStateMachine.Action?) {
        guard let action else { return }
        isSaying = action != .stop
        dispatch { [weak self] listener in
            defer { self?.recorder.answered() }
            switch action {
            case .record: try await listener.didTapRecord()
            case .stop: await listener.didTapStop()
            case .restart: try await listener.didTapRestart()
            }
        }
    }

    private func choose() {
        let path = path.text
        dispatch { try await $0.didChoose(source: path) }
    }

    /// The text being written may still change, and is shown to everybody as tentative.
    private func wrote() {
        let line = "~ \(said.text)"
        dispatch { try await $0.didHear(line: line) }
    }

    private func finished() {
        guard !said.text.isEmpty else { return }
        let line = "= \(said.text)"
        said.replace(with: "")
        dispatch { try await $0.didHear(line: line) }
    }

    // MARK: - ElementView

    var body: Elements {
        Heading("TRANSCRIPTION")
        status
        if let refusal { Text(refusal).foregroundStyle(.error) }
        // Before the fields: the first element gets the focus first, and letters are then keys.
        Flow {
            Button(label) { self.tapped() }.keyboardShortcut("r")
            Button("Restart") { self.restartTapped() }.keyboardShortcut("s")
        }
        GroupBox("Transcript") { TailText(text: words) }.frame(maxHeight: .infinity)
        if !model.isRecording {
            HStack {
                Text("Source").foregroundStyle(.secondary)
                TextField("a path; none: you say the words", text: path)
                    .onSubmit { self.choose() }.id("source")
            }
        } else if source == nil {
            HStack {
                Text("Say").foregroundStyle(.secondary)
                TextField("words, then Enter", text: said)
                    .onSubmit { self.finished() }.onChange { self.wrote() }
                    .id("said").focused(Binding(self, \.isSaying))
            }
        }
    }

    private var label: String { model.recordButtonEnabled ? recorder.label : "Opening" }

    /// A recording is marked, and not only by its colour.
    private var status: Text {
        model.isRecording
            ? Text("● ").foregroundStyle(.error) + Text(model.statusLabel).foregroundStyle(.accent)
            : Text("○ ").foregroundStyle(.secondary) + Text(model.statusLabel)
    }

    /// The certain words in plain text, the others dimmed. Those that follow another text are
    /// certain by now, or dropped, or have come before the text that they follow.
    private var words: StyledLine {
        let since = tentative.position == model.position ? tentative.words : ""
        let gap = model.stableText.isEmpty || since.isEmpty ? "" : " "
        return StyledLine(model.stableText) + StyledLine(gap) + StyledLine(since, .secondary)
    }
}
