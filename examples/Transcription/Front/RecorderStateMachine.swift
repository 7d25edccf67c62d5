// RecorderStateMachine: what the record button does, and when it does nothing.
//
// Layer      example, front.
// Isolation  value; owned by a view, and therefore by the front's main actor.
// Invariant  at most one tap is under way.
//
// An actor in another process cannot touch this: it learns of a tap by an event, and answers with
// the models that it presents.

/// The recorder's buttons for the person at a front.
nonisolated struct RecorderStateMachine: Equatable {
    private enum State: Equatable {
        case idle
        case recording
        /// A tap has been sent and is not yet answered; until then the button does nothing.
        case waiting(for: Action)
    }

    /// The event that a tap has sent.
    enum Action: Equatable {
        case record
        case stop
        case restart
    }

    private var state = State.idle
    /// The value in the newest model.
    private var isRecording = false

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
    mutating func tapped() -> Action? {
        switch state {
        case .idle: wait(for: .record)
        case .recording: wait(for: .stop)
        case .waiting: nil
        }
    }

    mutating func restartTapped() -> Action? { isWaiting ? nil : wait(for: .restart) }

    private mutating func wait(for action: Action) -> Action {
        state = .waiting(for: action)
        return action
    }

    /// A model was presented.
    mutating func presented(isRecording: Bool) {
        self.isRecording = isRecording
        if !isWaiting { settle() }
    }

    /// The tap was answered, or failed. Its changes were presented before.
    mutating func answered() { settle() }

    private mutating func settle() { state = isRecording ? .recording : .idle }
}
