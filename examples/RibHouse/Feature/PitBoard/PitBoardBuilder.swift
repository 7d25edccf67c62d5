// PitBoardBuilder: builds the board.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import RibHouseContract

/// What the board needs.
protocol PitBoardDependency: Dependency {
    var board: StateCell<[PitItem]> { get }
    var specials: SpecialsService { get }
}

/// Builds boards.
protocol PitBoardBuildable: Buildable {
    @MainActor func build(listener: any PitBoardListener) async -> any PitBoardRouting
}

// SAFETY: no stored property; see `Builder`.
final class PitBoardBuilder: Builder<any PitBoardDependency>, PitBoardBuildable,
    @unchecked Sendable
{
    @MainActor
    func build(listener: any PitBoardListener) async -> any PitBoardRouting {
        let view = RemoteView<PitBoard>()
        let interactor = PitBoardInteractor(
            presenter: view.presenter, listener: listener, board: dependency.board,
            specials: dependency.specials)
        return PitBoardRouter(interactor: interactor, view: view)
    }
}
