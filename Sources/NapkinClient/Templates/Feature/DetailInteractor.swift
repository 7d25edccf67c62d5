// DetailInteractor: what the feature does.
//
// Layer      feature.
// Isolation  actor (loop executor).

import NapkinCore
import SampleContract

final actor DetailInteractor: PresentableInteractable, DetailPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DetailPresentable
    private var isOn = false

    init(presenter: any DetailPresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(isOn: isOn)
    }

    func didTapToggle() async {
        isOn.toggle()
        await presenter.present(isOn: isOn)
    }
}
