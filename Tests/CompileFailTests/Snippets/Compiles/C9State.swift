// C9State: a state that can be written to disk.

import NapkinCore

@Durable
final actor CountInteractor: Interactable {
    @Message
    struct State: DurableState {
        var count: Int = 0
    }

    var state = State()
    nonisolated let lifecycle = InteractorLifecycle()
}
