// SampleInteractor: counts; what the app does is here.
//
// Layer      feature.
// Isolation  actor (loop executor).

import NapkinCore
import SampleContract

final actor SampleInteractor: PresentableInteractable, SamplePresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any SamplePresentable
    private var count = 0

    init(presenter: any SamplePresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(count: count)
    }

    func didTapAdd() async {
        count += 1
        await presenter.present(count: count)
    }
}
