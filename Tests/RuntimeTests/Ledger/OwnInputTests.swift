// OwnInputTests: when timers fire, when sessions are due, and what records do to both.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinLedger

struct OwnInputTests {
    private static let minute: Int64 = 60_000

    private func timer(
        due: Int64 = 0, every interval: Int64? = nil, missed: Int32 = 0
    ) -> TimerImage {
        TimerImage(
            id: 1, node: 1, name: "tea", due: due, interval: interval, missed: missed,
            payload: [0xF6])
    }

    @Test(
        arguments: [
            // One firing.
            (nil, 0, 0, true, nil), (nil, 0, 3600_000, true, nil), (nil, 5, 3600_000, true, nil),
            (nil, -1, 10_000, true, nil), (nil, -1, 10_001, false, nil),
            // Every minute.
            (60_000, 0, 0, true, 60_000), (60_000, 0, 59_999, true, 60_000),
            (60_000, 0, 60_000, true, 120_000), (60_000, 0, 299_999, true, 300_000),
            (60_000, -1, 10_000, true, 60_000), (60_000, -1, 10_001, false, 60_000),
            (60_000, -1, 60_000, false, 120_000),
            // Six firings are due at 300,000.
            (60_000, 1, 300_000, true, 360_000), (60_000, 2, 300_000, true, 300_000),
            (60_000, 6, 300_000, true, 60_000), (60_000, 100, 300_000, true, 60_000),
            // What only a damaged file has.
            (0, 0, 5, true, nil), (-7, 2, 5, true, nil), (60_000, .min, 0, true, 60_000),
        ] as [(Int64?, Int32, Int64, Bool, Int64?)])
    func `a timer fires, or is skipped, and is due next`(
        interval: Int64?, missed: Int32, now: Int64, runs: Bool, next: Int64?
    ) {
        let firing = timer(every: interval, missed: missed).firing(at: now)
        #expect(firing == TimerImage.Firing(runs: runs, next: next))
    }

    @Test func `no number of a file traps`() {
        let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for due in numbers {
            for interval in numbers {
                for now in numbers {
                    for missed in [Int32.min, -1, 0, 1, .max] {
                        _ = timer(due: due, every: interval, missed: missed).firing(at: now)
                    }
                }
            }
        }
    }

    @Test func `a job is tried again later each time, and not too late`() {
        let attempts = JobAttempts(most: 5, first: .seconds(2), longest: .seconds(20))
        #expect(
            (1...6).map { attempts.delay(after: $0, less: 0) }
                == [2000, 4000, 8000, 16_000, 20_000, 20_000])
        #expect(attempts.delay(after: 2, less: 1) == 2000)
        #expect(attempts.delay(after: .max, less: 0.5) == 15_000)
        #expect(attempts.delay(after: .min, less: 0) == 2000)
        let endless = JobAttempts(most: 1, first: .seconds(Int64.max), longest: .seconds(Int64.max))
        #expect(endless.delay(after: 99, less: 0) > 0)
    }

    @Test func `the earliest of many names is found`() {
        var generator = Randomness(seed: 34)
        var table = DueTable()
        var model: [String: Int64] = [:]
        for _ in 0..<20_000 {
            let name = "s\(Int.random(in: 0..<50, using: &generator))"
            let due = generator.percent(50) ? nil : Int64.random(in: 0..<1000, using: &generator)
            table.set(name, due)
            model[name] = due
            #expect(table.earliest() == model.values.min())
        }
        let taken = table.take(upTo: 500)
        #expect(Set(taken) == Set(model.filter { $0.value <= 500 }.keys))
        #expect(taken.compactMap { model[$0] } == taken.compactMap { model[$0] }.sorted())
        #expect(table.earliest() == model.values.filter { $0 > 500 }.min())
    }

    // MARK: - Images

    private func image() throws -> SessionImage {
        var image = SessionImage(
            session: 7, title: SessionTitle(name: "main", id: "main", epoch: 1))
        var record = Record(session: 7)
        record.attached = [1, 2].map {
            AttachedNode(number: $0, parent: $0 - 1, slot: "s", feature: "f", arguments: [])
        }
        record.timers = [timer(due: 50)]
        var other = timer(due: 40)
        (other.id, other.node) = (2, 2)
        record.timers?.append(other)
        record.jobs = [job(3, of: 2), job(4, of: 1)]
        record.inputs = [BegunInput(id: 2, node: 2, method: "m", name: "tea")]
        try image.apply(record)
        return image
    }

    private func job(_ id: UInt64, of node: UInt32) -> JobImage {
        JobImage(
            id: id, node: node, key: Array(repeating: UInt8(id & 0xFF), count: 16), payload: [0],
            due: 60, attempts: 0)
    }

    @Test func `a record and an image are what they were after reading`() throws {
        let image = try image()
        let read = try SessionImage(decoding: image.encoded())
        #expect(read == image)
        #expect(image.timers.count == 2 && image.jobs.count == 2 && image.inputs.count == 1)
        #expect(image.newestInput == 4)
        #expect(try DueImage(decoding: image.encoded()).earliest() == 40)
        #expect(try DueImage(decoding: image.encoded()).earliest { _, node in node == 1 } == 50)
    }

    @Test func `timers, jobs and begun inputs go with their node`() throws {
        var image = try image()
        var record = Record(session: 7)
        record.detached = [2]
        // What is said of a node that goes in the same stretch is not kept.
        record.timers = [timer(due: 1)]
        record.timers?[0].node = 2
        try image.apply(record)
        #expect(image.timers.map(\.id) == [1])
        #expect(image.jobs.map(\.id) == [4])
        #expect(image.inputs.isEmpty)
    }

    @Test func `a timer is replaced by its name, put off and removed`() throws {
        var image = try image()
        var record = Record(session: 7)
        record.passed = [TimerChange(id: 1, due: 70), TimerChange(id: 2), TimerChange(id: 99)]
        try image.apply(record)
        #expect(image.timers.map(\.due) == [70])
        record = Record(session: 7)
        record.passed = [TimerChange(id: 1, due: 80)]
        var newer = timer(due: 90)
        newer.id = 9
        record.timers = [newer]
        try image.apply(record)
        #expect(image.timers == [newer])
    }

    @Test func `dead letters are kept, the newest of them`() throws {
        var image = try image()
        for id in 100..<UInt64(100 + SessionImage.deadLettersMax + 5) {
            var record = Record(session: 7)
            record.jobs = [job(id, of: 1)]
            record.jobChanges = [JobChange(id: id, failure: "no", isTold: true)]
            try image.apply(record)
        }
        let dead = image.jobs.filter { $0.isTold == true }
        #expect(dead.count == SessionImage.deadLettersMax && dead.first?.id == 105)
        #expect(DueImage(image).earliest { id, _ in id > 90 } == nil)
    }
}
