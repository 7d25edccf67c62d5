// JobListInteractor: one front's list.

import JobsContract
import NapkinCore

/// The routes from a list.
@MainActor
protocol JobListRouting: ViewableRouting {
    /// Shows a job in place of another one.
    func routeToJob(_ id: Int) async
    func routeFromJob() async
}

final actor JobListInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any JobListPresentable
    private weak var router: (any JobListRouting)?
    private let runner: JobsInteractor

    init(presenter: any JobListPresentable, runner: JobsInteractor) {
        self.presenter = presenter
        self.runner = runner
    }

    func wire(router: any JobListRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        task {
            for await jobs in self.runner.jobs.values { await self.presenter.present(jobs: jobs) }
        }
    }
}

extension JobListInteractor: JobListPresentableListener, JobDetailListener {
    func didSelect(_ id: Int) async { await router?.routeToJob(id) }

    func jobDetailDidFinish() async { await router?.routeFromJob() }
}
