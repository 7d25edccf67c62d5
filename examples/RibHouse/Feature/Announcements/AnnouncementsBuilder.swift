// AnnouncementsBuilder: builds the feature that announces last calls.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import RibHouseContract

/// What announcements need: the pit to follow, and the board to post to.
protocol AnnouncementsDependency: Dependency {
    var pit: PitService { get }
    var board: StateCell<[PitItem]> { get }
}

/// Builds the feature.
protocol AnnouncementsBuildable: Buildable {
    @MainActor func build(listener: any AnnouncementsListener) async -> any AnnouncementsRouting
}

// SAFETY: no stored property; see `Builder`.
final class AnnouncementsBuilder: Builder<any AnnouncementsDependency>, AnnouncementsBuildable,
    @unchecked Sendable
{
    @MainActor
    func build(listener: any AnnouncementsListener) async -> any AnnouncementsRouting {
        AnnouncementsRouter(
            interactor: AnnouncementsInteractor(
                listener: listener, pit: dependency.pit, board: dependency.board))
    }
}
