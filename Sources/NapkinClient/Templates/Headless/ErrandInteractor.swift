// ErrandInteractor: what the feature does, with nobody looking.
//
// Layer      feature.
// Isolation  actor (loop executor).

import NapkinCore

final actor ErrandInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    /// A state that other features may follow.
    nonisolated let isRunning = StateCell(false)

    func didBecomeActive() async {
        isRunning.value = true
    }

    func willResignActive() async {
        isRunning.value = false
    }
}
