// RecorderContainer: the composition root of a recorder in a front, and its use case.
//
// Ownership  owns machine and engine. The engine's closure owns the machine; the machine does not
//            own the engine.

import NapkinCore
import TranscriptionContract

/// What a screen with a recorder needs.
final class RecorderContainer {
    let recorder = RecorderStateMachine()
    private let engine: RecordingEngine

    init(listener: any TranscriptionPresentableListener) {
        // The engine's events arrive where the machine is. At most one action is under way, so that
        // no event can overtake another.
        engine = RecordingEngine(takes: listener) { [recorder] event in
            Task { await recorder.handle(event) }
        }
        recorder.listener = engine
    }

    var useRecorder: UseRecorder { UseRecorder(recorder: recorder) }
}

/// The use case of the recorder's buttons: what the machine decides, its listener performs.
struct UseRecorder {
    let recorder: RecorderStateMachine

    /// The record button was tapped. Returns the action that this has begun, if any.
    @discardableResult
    func tap() -> RecorderStateMachine.Action? { perform { recorder.tapped() } }

    @discardableResult
    func restart() -> RecorderStateMachine.Action? { perform { recorder.restartTapped() } }

    private func perform(
        _ decide: () -> RecorderStateMachine.Action?
    ) -> RecorderStateMachine.Action? {
        guard let listener = recorder.listener, let action = decide() else { return nil }
        dispatch { await listener.perform(action) }
        return action
    }
}
