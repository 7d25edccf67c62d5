// TeaInteractor: puts sugar into the tea; its parent has the water.

import KettleContract
import NapkinCore

/// What the feature tells its parent.
protocol TeaListener: AnyObject, Sendable {
    func teaDidFinish(poured: Int) async
}

@Durable
final actor TeaInteractor: PresentableInteractable, TeaPresentableListener {
    @Message
    struct State: DurableState {
        var sugar: Int = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any TeaPresentable
    @Volatile private weak var router: (any TeaRouting)?
    @Volatile private weak var listener: (any TeaListener)?
    private let cups: Int
    var state = State()

    init(presenter: any TeaPresentable, listener: any TeaListener, cups: Int) {
        self.presenter = presenter
        self.listener = listener
        self.cups = cups
    }

    func wire(router: any TeaRouting) { self.router = router }

    func didBecomeActive() async {
        await presenter.present(sugar: state.sugar)
    }

    func didTapSugar() async {
        state.sugar += 1
        await presenter.present(sugar: state.sugar)
    }

    func didTapBack() async {
        await listener?.teaDidFinish(poured: cups)
    }
}
// napkin: Tea as a listener
