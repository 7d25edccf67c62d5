// AnnouncementsBuilder: hires the crier.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import RibHouseContract

/// What the crier needs: the pit to listen to, and the board to write on.
protocol AnnouncementsDependency: Dependency {
    var pit: PitService { get }
    var board: StateCell<[PitItem]> { get }
}

/// Makes criers.
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
