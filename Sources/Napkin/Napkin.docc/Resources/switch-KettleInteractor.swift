// KettleInteractor: switches; what the app does is here.
//
// Layer      feature.
// Isolation  actor (loop executor).

import KettleContract
import NapkinCore

final actor KettleInteractor: PresentableInteractable, KettlePresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any KettlePresentable
    private var isOn = false

    init(presenter: any KettlePresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(isOn: isOn)
    }

    func didTapSwitch() async {
        isOn.toggle()
        await presenter.present(isOn: isOn)
    }
}
