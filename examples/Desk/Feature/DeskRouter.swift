// DeskRouter: a list for each front.

import DeskContract
import NapkinCore

@MainActor
final class DeskRouter: LaunchRouter<DeskInteractor, Desk>, DeskRouting {
    private let lists = FrontSlot<RunList>("list")

    init(interactor: DeskInteractor, view: RemoteView<Desk>) {
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    override func didLoad() async {
        await attach(lists) { router, front in
            let view = RemoteView<RunList>()
            let desk = router.interactor
            let interactor = RunListInteractor(
                presenter: view.presenter, desk: desk, front: front,
                list: await desk.list(of: front))
            let list = RunListRouter(interactor: interactor, view: view, desk: desk)
            await interactor.wire(router: list)
            return list
        }
    }

    func routeToRun(_ id: Int, for front: AttachedFront) async {
        await (lists.child(of: front) as? RunListRouter)?.interactor.didSelect(id)
    }
}
