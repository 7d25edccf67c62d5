// RecordingEngine: performs what the recorder's buttons ask for, and tells what has become of it.
//
// Ownership  knows nothing that is on the main actor: its composition root hands it a closure.

import NapkinCore
import TranscriptionContract

/// Begins and ends takes.
actor RecordingEngine: RecorderPresentableListener {
    /// What has become of an action.
    nonisolated enum Event: Equatable, Sendable {
        case answered
        /// - Parameter words: why it was refused, for people.
        case refused(_ words: String)
    }

    private let takes: any TranscriptionPresentableListener
    private let onEvent: @Sendable (Event) -> Void

    /// - Parameter onEvent: called on the engine's executor, once for each action.
    init(
        takes: any TranscriptionPresentableListener, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.takes = takes
        self.onEvent = onEvent
    }

    func perform(_ action: RecorderStateMachine.Action) async {
        do {
            switch action {
            case .record: try await takes.didTapRecord()
            case .stop: await takes.didTapStop()
            case .restart: try await takes.didTapRestart()
            }
            onEvent(.answered)
        } catch {
            onEvent(.refused((error as? RemoteFault)?.message ?? "\(error)"))
        }
    }
}
