// BoardApp: the router and the app of the job board.

import NapkinCore

@MainActor
final class BoardRouter: LaunchRouter<BoardInteractor, Board> {
    private let browser = FrontSlot<Browser>("browser")
    private let jobs: StateCell<[String]>

    init(_ session: SessionContext) {
        let jobs = StateCell(["make", "test", "deploy"])
        let view = RemoteView<Board>()
        let interactor = BoardInteractor(
            presenter: view.presenter, jobs: jobs, session: session)
        self.jobs = jobs
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    override func didLoad() async {
        await attach(browser) { router, _, view in
            BrowserInteractor(presenter: view.presenter, jobs: router.jobs)
        }
    }
}

enum BoardApp: App {
    static let id = "board"
    static let features: [any Feature.Type] = [Board.self, Browser.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        BoardRouter(session)
    }
}
