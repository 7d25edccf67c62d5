// LoggedInRouter: the table's stack, and the announcements that come with it.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import RibHouseContract

/// Announcements are attached from the start; the board is pushed on request.
@MainActor
final class LoggedInRouter: ViewableRouter<LoggedInInteractor, LoggedIn>, LoggedInRouting {
    private let announcements = ChildSlot<Announcements>("announcements")
    private let pages = ChildStack()
    private let pitBoard = ChildSlot<PitBoard>("pitBoard")
    private let announcementsBuilder: any AnnouncementsBuildable
    private let pitBoardBuilder: any PitBoardBuildable

    init(
        interactor: LoggedInInteractor, view: RemoteView<LoggedIn>,
        announcements: any AnnouncementsBuildable, pitBoard: any PitBoardBuildable
    ) {
        announcementsBuilder = announcements
        pitBoardBuilder = pitBoard
        super.init(interactor: interactor, view: view)
    }

    override func didLoad() async {
        await attach(announcements) { await announcementsBuilder.build(listener: interactor) }
    }

    func routeToPitBoard() async {
        await push(pitBoard, on: pages) { await pitBoardBuilder.build(listener: interactor) }
    }

    func routeFromPitBoard() async {
        await pop(pitBoard, off: pages)
    }
}
