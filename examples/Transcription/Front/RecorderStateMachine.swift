// RecorderStateMachine: what the record button does, and when it does nothing.
//
// Layer      example, front.
// Isolation  value; owned by a view, and so by the front's main actor.
// Invariant  at most one tap is under way.
//
// An actor in another process cannot touch this: it hears of a tap by an event, and is heard by the
// models that it presents.

/// The recorder as the person in front of it holds it.
nonisolated struct RecorderStateMachine: Equatable {
    private enum State: Equatable {
        case idle
        case recording
        /// A tap has been sent, and is not answered; until then the button does nothing.
        case waiting(for: Action)
    }

    /// What a tap has sent.
    enum Action: Equatable {
        case record
        case stop
        case restart
    }

    private var state = State.idle
    /// What the newest model said.
    private var isRecording = false

    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// What the button says.
    var label: String {
        switch state {
        case .idle, .waiting(for: .record): "Record"
        case .recording, .waiting(for: .stop), .waiting(for: .restart): "Stop"
        }
    }

    /// Whether lines that are said reach a take.
    var isOn: Bool { state == .recording }

    /// The button was tapped. Returns what is to be sent; `nil` while an earlier tap is under way.
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

    /// The tap was answered, or failed. What it has changed was presented before.
    mutating func answered() { settle() }

    private mutating func settle() { state = isRecording ? .recording : .idle }
}
