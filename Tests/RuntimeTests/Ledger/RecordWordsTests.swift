// RecordWordsTests: what a record has changed, as `ledger show` and `ledger rewind` say it.

import NapkinCore
import Testing

@testable import NapkinLedger

@Suite struct RecordWordsTests {
    private let key = [UInt8](0..<16)

    private func timer(_ id: UInt64, _ name: String) -> TimerImage {
        TimerImage(id: id, node: 1, name: name, due: 5, interval: nil, missed: 0, payload: [])
    }

    private func job(_ id: UInt64) -> JobImage {
        JobImage(id: id, node: 1, key: key, payload: [], due: 5, attempts: 0)
    }

    /// Returns the words of a record after an image with a timer `tea` and a job.
    private func words(_ change: (inout Record) -> Void) -> [String] {
        var image = SessionImage(
            session: 1, title: SessionTitle(name: "lunch", id: "lunch", epoch: 1))
        (image.timers, image.jobs) = ([timer(1, "tea")], [job(2)])
        var record = Record(session: 1)
        change(&record)
        let history = SessionHistory(
            image: image, oldest: 1, entries: [.init(group: 2, record: record, bytes: 1)])
        return record.changes(InputNames(of: history))
    }

    @Test func `timers, jobs and their handlers are named`() {
        let job = "job \(JobKey(bytes: key)) of 1"
        #expect(words { $0.passed = [TimerChange(id: 1)] } == ["passed timer 'tea' of 1"])
        #expect(words { $0.timers = [timer(3, "cake")] } == ["scheduled timer 'cake' of 1"])
        #expect(
            words { record in
                var timers = [timer(1, "tea"), timer(1, "tea")]
                timers[0].attempts = 1
                timers[1].failure = "no"
                record.timers = timers
            } == ["attempt 1 of timer 'tea' of 1", "given up timer 'tea' of 1"])
        #expect(words { $0.jobs = [self.job(3)] } == ["posted \(job)"])
        #expect(
            words { record in
                let changes = [
                    JobChange(id: 2, attempts: 2), JobChange(id: 2, attempts: 3, failure: "no"),
                    JobChange(id: 2, isTold: true), JobChange(id: 2, isOver: true),
                ]
                record.jobChanges = changes
            } == ["attempt 2 of \(job)", "given up \(job)", "told of \(job)", "ended \(job)"])
        #expect(
            words { record in
                record.inputs = [BegunInput(id: 1, node: 1, method: "m", name: "tea")]
                record.over = [2, 99]
            } == ["begun timer 'tea' of 1", "ended \(job), input 99"])
    }
}
