// PitBoardInteractor: shows the pit, stage by stage.

import NapkinCore
import RibHouseContract

/// What the board tells its parent.
protocol PitBoardListener: AnyObject, Sendable {
    func pitBoardDidFinish() async
}

/// Shows the announced items, and the specials, which rotate while the board is open.
@Durable
final actor PitBoardInteractor: PresentableInteractable, PitBoardPresentableListener {
    @Message
    struct State: DurableState {
        /// The shown specials, from which the rotation goes on.
        var specials: [Special] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PitBoardPresentable
    private let board: StateCell<[PitItem]>
    private let specials: SpecialsService
    var state = State()
    @Volatile private weak var listener: (any PitBoardListener)?

    init(
        presenter: any PitBoardPresentable, listener: any PitBoardListener,
        board: StateCell<[PitItem]>, specials: SpecialsService
    ) {
        self.presenter = presenter
        self.listener = listener
        self.board = board
        self.specials = specials
    }

    func didRestore() async { await specials.resume(with: state.specials) }

    func didBecomeActive() async {
        task {
            for await items in self.board.values {
                await self.presenter.present(sections: Self.sections(of: items))
            }
        }
        task {
            for await specials in self.specials.specials { await self.show(specials) }
        }
        await specials.start()
    }

    func willResignActive() async {
        await specials.stop()
    }

    private func show(_ specials: [Special]) async {
        if state.specials != specials { state.specials = specials }
        await presenter.present(specials: specials)
    }

    func didTapBack() async {
        await listener?.pitBoardDidFinish()
    }

    private static func sections(of items: [PitItem]) -> [PitSection] {
        PitItem.Stage.allCases.compactMap { stage in
            let staged = items.filter { $0.stage == stage }
            return staged.isEmpty ? nil : PitSection(stage: stage, items: staged)
        }
    }
}
