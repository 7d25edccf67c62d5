// SampleInteractor: counts; what the app does is here. What is in `state` survives the worker.

import NapkinCore
import SampleContract

@Durable
final actor SampleInteractor: PresentableInteractable, SamplePresentableListener {
    @Message
    struct State: DurableState {
        var count: Int = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any SamplePresentable
    @Volatile private weak var router: (any SampleRouting)?
    var state = State()

    init(presenter: any SamplePresentable) { self.presenter = presenter }

    func wire(router: any SampleRouting) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(count: state.count)
    }

    func didTapAdd() async {
        state.count += 1
        await presenter.present(count: state.count)
    }
}
// napkin: Sample as a listener
