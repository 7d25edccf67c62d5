// DetailInteractor: what the feature does. What is in `state` survives the worker.

import NapkinCore
import SampleContract

//@listener@
@Durable
final actor DetailInteractor: PresentableInteractable, DetailPresentableListener {
    @Message
    struct State: DurableState {
        var isOn: Bool = false
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DetailPresentable
    @Volatile private weak var router: (any DetailRouting)?
    //@stored@
    var state = State()

    //@init@

    func wire(router: any DetailRouting) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(isOn: state.isOn)
    }

    func didTapToggle() async {
        state.isOn.toggle()
        await presenter.present(isOn: state.isOn)
    }
    //@leaving@
}
// napkin: Detail as a listener
