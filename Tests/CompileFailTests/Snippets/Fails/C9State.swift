// C9State: a durable interactor's state that nothing can write to disk.

import NapkinCore

@Durable
final actor CountInteractor: Interactable {
    struct State {  // expected-error: write '@Message struct State: DurableState'
        var count: Int = 0
    }

    var state = State()
    nonisolated let lifecycle = InteractorLifecycle()
}
