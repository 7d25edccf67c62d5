// RunListRouter: one front's list, and at most one run on it.

import DeskContract
import NapkinCore

@MainActor
final class RunListRouter: ViewableRouter<RunListInteractor, RunList>, RunListRouting {
    private let pages = ChildStack()
    private let page = ChildRoute<RunListRouter, RunPage>("run", on: \.pages) { router, view in
        RunPageInteractor(
            presenter: view.presenter, listener: router.interactor, desk: router.desk,
            id: view.arguments.id)
    }
    private let desk: DeskInteractor

    init(interactor: RunListInteractor, view: RemoteView<RunList>, desk: DeskInteractor) {
        self.desk = desk
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    func routeToRun(_ id: Int) async { await replaceTop(with: page, arguments: .init(id: id)) }

    func routeFromRun() async { await popToRoot(pages) }

    /// The list keeps which run is open.
    override func childWantsDismissal(_ child: any Routing) async {
        await interactor.runPageDidFinish()
    }
}
