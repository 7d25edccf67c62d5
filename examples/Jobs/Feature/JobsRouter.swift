// JobsRouter: the drop folder, and a list for each front.

import JobsContract
import NapkinCore

@MainActor
final class JobsRouter: LaunchRouter<JobsInteractor, Jobs>, JobsRouting {
    private let lists = FrontSlot<JobList>("list")
    private let dropFolder = ChildSlot<DropFolder>("dropFolder")
    private let session: SessionContext

    init(interactor: JobsInteractor, view: RemoteView<Jobs>, session: SessionContext) {
        self.session = session
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    override func didLoad() async {
        await attach(dropFolder) { DropFolderInteractor(listener: interactor, session: session) }
        await attach(lists) { router, _ in
            let view = RemoteView<JobList>()
            let runner = router.interactor
            let interactor = JobListInteractor(presenter: view.presenter, runner: runner)
            let list = JobListRouter(interactor: interactor, view: view, runner: runner)
            await interactor.wire(router: list)
            return list
        }
    }

    func routeToJob(_ id: Int, for front: AttachedFront) async {
        await (lists.child(of: front) as? JobListRouter)?.routeToJob(id)
    }
}
