// PitBoardRouter: the board's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import RibHouseContract

/// The board leads nowhere but back, and that is its parent's business.
@MainActor
protocol PitBoardRouting: ViewableRouting {}

@MainActor
final class PitBoardRouter: ViewableRouter<PitBoardInteractor, PitBoard>, PitBoardRouting {}
