// PitBoardRouter: the board's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import RibHouseContract

/// The board leads only back, which its parent handles.
@MainActor
protocol PitBoardRouting: ViewableRouting {}

@MainActor
final class PitBoardRouter: ViewableRouter<PitBoardInteractor, PitBoard>, PitBoardRouting {}
