// DetailInteractor: what the feature does.
//
// Layer      feature.
// Isolation  actor (loop executor).

import NapkinCore
import SampleContract

//@listener@
final actor DetailInteractor: PresentableInteractable, DetailPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any DetailPresentable
    //@stored@
    private var isOn = false

    //@init@

    func didBecomeActive() async {
        await presenter.present(isOn: isOn)
    }

    func didTapToggle() async {
        isOn.toggle()
        await presenter.present(isOn: isOn)
    }
    //@leaving@
}
