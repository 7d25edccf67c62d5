// ErrandInteractor: what the feature does, with nobody looking. What is in `state` survives the
// worker.

import NapkinCore

@Durable
final actor ErrandInteractor: Interactable {
    @Message
    struct State: DurableState {
        var isPaused: Bool = false
    }

    nonisolated let lifecycle = InteractorLifecycle()
    /// A state that other features may follow.
    nonisolated let isRunning = StateCell(false)
    var state = State()

    func didBecomeActive() async {
        isRunning.value = !state.isPaused
    }

    func willResignActive() async {
        isRunning.value = false
    }

    func pause(_ isPaused: Bool) async {
        state.isPaused = isPaused
        isRunning.value = !isPaused
    }
}
