// RecorderStateMachine: what the record button does, and when it does nothing.
//
// Ownership  does not own its listener.
// Invariant  at most one tap is under way.
//
// Neither the engine of this process nor an actor in another one can touch this: the first tells
// what happened by a closure, the second by the models that it presents.

import NapkinCore
import Observation

/// The recorder's buttons, for whoever performs what they ask for. On the main actor, with its
/// `listener`, because `Presentable` is.
protocol RecorderPresentable: Presentable {
    var listener: (any RecorderPresentableListener)? { get set }
    /// What has become of an action.
    func handle(_ event: RecordingEngine.Event)
}

/// Performs what the buttons ask for.
nonisolated protocol RecorderPresentableListener: PresentableListener {
    func perform(_ action: RecorderStateMachine.Action) async
}

/// The recorder's buttons for the person at a front.
@Observable
final class RecorderStateMachine: RecorderPresentable {
    private nonisolated enum State: Equatable {
        case idle
        case recording
        /// A tap has been sent and is not yet answered; until then the button does nothing.
        case waiting(for: Action)
    }

    /// The event that a tap has sent.
    nonisolated enum Action: Equatable {
        case record
        case stop
        case restart
    }

    @ObservationIgnored weak var listener: (any RecorderPresentableListener)?
    private var state = State.idle
    /// The value in the newest model.
    private var isRecording = false
    /// Why this front's last action was refused.
    private(set) var refusal: String?

    init() {}

    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// The button's text.
    var label: String {
        switch state {
        case .idle, .waiting(for: .record): "Record"
        case .recording, .waiting(for: .stop), .waiting(for: .restart): "Stop"
        }
    }

    /// Whether spoken lines reach a take.
    var isOn: Bool { state == .recording }

    /// The button was tapped. Returns the action to send; `nil` while an earlier tap is under way.
    func tapped() -> Action? {
        switch state {
        case .idle: wait(for: .record)
        case .recording: wait(for: .stop)
        case .waiting: nil
        }
    }

    func restartTapped() -> Action? { isWaiting ? nil : wait(for: .restart) }

    private func wait(for action: Action) -> Action {
        state = .waiting(for: action)
        return action
    }

    /// A model was presented.
    func presented(isRecording: Bool) {
        self.isRecording = isRecording
        if !isWaiting { settle() }
    }

    /// The tap was answered, or failed. Its changes were presented before.
    func answered() { settle() }

    private func settle() { state = isRecording ? .recording : .idle }

    // MARK: - RecorderPresentable

    func handle(_ event: RecordingEngine.Event) {
        refusal = if case .refused(let words) = event { words } else { nil }
        answered()
    }
}
