// JobDetailInteractor: follows one job for one front.

import JobsContract
import NapkinCore
import NapkinSystem

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
    private var isReading = false

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
        isReading = true
        runner.readers.update { $0[self.id, default: 0] += 1 }
        task {
            for await jobs in self.runner.jobs.values {
                guard let job = jobs.first(where: { $0.id == self.id }) else { continue }
                await self.presenter.present(job: job)
            }
        }
        task {
            var shown: Int?
            for await _ in self.runner.runs.values {
                guard let run = await self.runner.run(of: self.id), run.number != shown else {
                    continue
                }
                shown = run.number
                await self.show(run)
                self.hasRead()
            }
        }
    }

    func willResignActive() { hasRead() }

    private func hasRead() {
        guard isReading else { return }
        isReading = false
        runner.readers.update { $0[id] = $0[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }

    /// Shows what a run has printed and prints, until it ends.
    private func show(_ run: JobRun) async {
        if let job = runner.jobs.value.first(where: { $0.id == id }) {
            await presenter.output("$ \(job.order.command)")
        }
        if let reason = run.reason { await presenter.output(reason) }
        guard let program = run.program else { return }
        var next: UInt64 = 0
        do {
            for try await line in program.lines() {
                if line.offset > next {
                    await presenter.output("… \(line.offset - next) bytes are no longer kept …")
                }
                await presenter.output(line.text)
                next = line.end
            }
        } catch is CancellationError {
            // The page is gone.
        } catch {
            await presenter.output("\(error)")
        }
    }
}

extension JobDetailInteractor: JobDetailPresentableListener {
    func didTapCancel() async throws(JobError) { try await runner.cancel(id) }

    func didTapRetry() async throws(JobError) { try await runner.retry(id) }

    func didTapBack() async { await listener?.jobDetailDidFinish() }
}
