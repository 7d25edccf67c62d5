// JobListRouter: one front's list, and at most one job on it.

import JobsContract
import NapkinCore

@MainActor
final class JobListRouter: ViewableRouter<JobListInteractor, JobList>, JobListRouting {
    private let pages = ChildStack()
    private let details = ChildList<Int, JobDetail>("detail")
    private let runner: JobsInteractor

    init(interactor: JobListInteractor, view: RemoteView<JobList>, runner: JobsInteractor) {
        self.runner = runner
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    func routeToJob(_ id: Int) async {
        await replaceTop(of: pages, with: details[id], arguments: .init(id: id)) { view in
            JobDetailInteractor(
                presenter: view.presenter, listener: interactor, runner: runner, id: id)
        }
    }

    func routeFromJob() async { await popToRoot(pages) }
}
