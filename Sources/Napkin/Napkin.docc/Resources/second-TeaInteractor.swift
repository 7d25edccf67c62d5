// TeaInteractor: puts sugar into the tea; its parent has the water.
//
// Layer      feature.
// Isolation  actor (loop executor).

import KettleContract
import NapkinCore

/// What the feature tells its parent.
protocol TeaListener: AnyObject, Sendable {
    func teaDidFinish(poured: Int) async
}

final actor TeaInteractor: PresentableInteractable, TeaPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TeaPresentable
    private weak var listener: (any TeaListener)?
    private let cups: Int
    private var sugar = 0

    init(presenter: any TeaPresentable, listener: any TeaListener, cups: Int) {
        self.presenter = presenter
        self.listener = listener
        self.cups = cups
    }

    func didBecomeActive() async {
        await presenter.present(sugar: sugar)
    }

    func didTapSugar() async {
        sugar += 1
        await presenter.present(sugar: sugar)
    }

    func didTapBack() async {
        await listener?.teaDidFinish(poured: cups)
    }
}
