// DetailInteractor: what the feature does. What is in `state` survives the worker.

import NapkinCore
import SampleContract

//@listener@
@Durable
final actor DetailInteractor: PresentableInteractable, DetailPresentableListener {
    @Message
    struct State: DurableState {
        //@toggle@
        var isOn: Bool = false
        //@end toggle@
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DetailPresentable
    @Volatile private weak var router: (any DetailRouting)?
    //@stored@
    var state = State()

    //@init@

    func wire(router: any DetailRouting) { self.router = router }
    //@toggle@

    func didBecomeActive() async {
        await presenter.present(isOn: state.isOn)
    }

    func didTapToggle() async {
        state.isOn.toggle()
        await presenter.present(isOn: state.isOn)
    }
    //@end toggle@
    //@leaving@
}
// napkin: Detail as a listener
