// KettleInteractor: switches; what the app does is here. What is in `state` survives the worker.

import KettleContract
import NapkinCore

@Durable
final actor KettleInteractor: PresentableInteractable, KettlePresentableListener {
    @Message
    struct State: DurableState {
        var isOn: Bool = false
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any KettlePresentable
    @Volatile private weak var router: (any KettleRouting)?
    var state = State()

    init(presenter: any KettlePresentable) { self.presenter = presenter }

    func wire(router: any KettleRouting) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(isOn: state.isOn)
    }

    func didTapSwitch() async {
        state.isOn.toggle()
        await presenter.present(isOn: state.isOn)
    }
}
// napkin: Kettle as a listener
