// LoggedInRouter: the table's stack, and the announcements that come with it.

import NapkinCore
import RibHouseContract

/// Announcements are attached from the start; the board is pushed on request.
@MainActor
final class LoggedInRouter: ViewableRouter<LoggedInInteractor, LoggedIn>, LoggedInRouting {
    private let announcements = ChildSlot<Announcements>("announcements")
    private let pages = ChildStack()
    private let pitBoard = ChildRoute<LoggedInRouter, PitBoard>("pitBoard", on: \.pages) {
        router, view in
        PitBoardInteractor(
            presenter: view.presenter, listener: router.interactor,
            board: router.component.board, specials: router.component.specials)
    }
    private let component: LoggedInComponent

    init(
        interactor: LoggedInInteractor, view: RemoteView<LoggedIn>,
        component: LoggedInComponent
    ) {
        self.component = component
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    override func didLoad() async {
        await attach(announcements) {
            AnnouncementsInteractor(
                listener: interactor, pit: component.pit, board: component.board)
        }
    }

    func routeToPitBoard() async {
        await attach(pitBoard)
    }

    func routeFromPitBoard() async {
        await pop(pitBoard, off: pages)
    }
}
