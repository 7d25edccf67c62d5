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
    //@stored@
    var state = State()

    //@init@

    func didBecomeActive() async {
        await presenter.present(isOn: state.isOn)
    }

    func didTapToggle() async {
        state.isOn.toggle()
        await presenter.present(isOn: state.isOn)
    }
    //@leaving@
}
