// JobsScreenTests: the list and a job as text, and the keys of a job.

import JobsContract
import NapkinCore
import NapkinElements
import NapkinTerminal
import Testing

@testable import JobsFront

@Suite struct JobsScreenTests {
    private func job(
        _ id: Int, _ state: Job.State, _ seconds: Double, queue: String = "main", after: [Int] = [],
        status: Int32? = nil, progress: Double? = nil
    ) -> Job {
        Job(
            id: id, order: JobOrder(command: "make", queue: queue, after: after), state: state,
            status: status, seconds: seconds, progress: progress)
    }

    @Test func `a list has a box for each queue, and says what is the matter`() async {
        let model = JobListModel(listener: Desk())
        await model.present(jobs: [
            job(1, .failed, 3849, status: 2), job(2, .queued, 0, queue: "night", after: [3, 1]),
            job(3, .running, 4.25, progress: 0.45), job(4, .failed, 0),
        ])
        let lines = JobListScreen(model: model).render(width: 60, height: 12).map(\.text)
        #expect(lines.contains { $0.contains("─ main ─") })
        #expect(lines.contains { $0.contains("✗    1    64:09  exit 2       make") })
        #expect(lines.contains { $0.contains("▸    3    4.2 s  45 %         make") })
        #expect(lines.contains { $0.contains("✗    4           not started  make") })
        #expect(lines.contains { $0.contains("·    2           after 3,1    make") })
    }

    @Test func `a job is cancelled while it has not ended, and then tried again`() async {
        let model = JobDetailModel(listener: Desk())
        let screen = JobDetailScreen(id: 3, model: model)
        await model.present(job: job(3, .running, 1))
        #expect(screen.render(width: 40, height: 12).last?.text == "[c] Cancel  [b] Back")
        await model.present(job: job(3, .cancelled, 1))
        #expect(screen.render(width: 40, height: 12).last?.text == "[r] Retry  [b] Back")
    }

    @Test func `a page says which lines it was not given`() async {
        let model = JobDetailModel(listener: Desk())
        await model.output("$ make")
        model.skipped(LogGap(log: MethodID(key: "output(_:)"), items: 1..<9, oldest: 0))
        await model.output("done")
        let lines = JobDetailScreen(id: 3, model: model).render(width: 40, height: 12).map(\.text)
        #expect(lines.contains { $0.contains("… 8 lines skipped …") })
    }
}

private actor Desk: JobListPresentableListener, JobDetailPresentableListener {
    func didSelect(_ id: Int) async {}
    func didTapCancel() async throws(JobError) {}
    func didTapRetry() async throws(JobError) {}
    func didTapBack() async {}
}
