// JobDetailInteractor: follows one job for one front.

import JobsContract
import NapkinCore

/// What the page tells the list below it.
protocol JobDetailListener: AnyObject, Sendable {
    func jobDetailDidFinish() async
}

final actor JobDetailInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any JobDetailPresentable
    private weak var listener: (any JobDetailListener)?
    private let runner: JobsInteractor
    private let id: Int

    init(
        presenter: any JobDetailPresentable, listener: any JobDetailListener,
        runner: JobsInteractor, id: Int
    ) {
        self.presenter = presenter
        self.listener = listener
        self.runner = runner
        self.id = id
    }

    func didBecomeActive() async {
        task {
            for await jobs in self.runner.jobs.values {
                guard let job = jobs.first(where: { $0.id == self.id }) else { continue }
                await self.presenter.present(job: job)
            }
        }
        // What has been printed so far, then what is being printed.
        task {
            var next = 0
            guard let count = await self.runner.output(of: self.id)?.count else { return }
            for await _ in count.values {
                guard let output = await self.runner.output(of: self.id) else { return }
                for line in output.lines(from: next) { await self.presenter.output(line) }
                next = output.end
            }
        }
    }
}

extension JobDetailInteractor: JobDetailPresentableListener {
    func didTapCancel() async throws(JobError) { try await runner.cancel(id) }

    func didTapRetry() async throws(JobError) { try await runner.retry(id) }

    func didTapBack() async { await listener?.jobDetailDidFinish() }
}
