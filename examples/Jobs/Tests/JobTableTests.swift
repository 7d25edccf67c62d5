// JobTableTests: which job may run, and what the end of one means for the others.

import JobsContract
import NapkinCore
import Testing

@testable import JobsFeature

extension JobTable {
    /// Starts what may run; the numbers of what has been started.
    fileprivate mutating func started() -> [Int] {
        let before = jobs
        start()
        return zip(before, jobs).filter { $0.state != $1.state }.map(\.1.id)
    }

    /// Ends a job that runs.
    fileprivate mutating func end(_ id: Int, _ state: Job.State, status: Int32? = nil) throws {
        var job = try job(id)
        job.state = state
        job.status = status
        job.seconds = 3
        end(job)
    }
}

@Suite struct JobTableTests {
    private func table(_ orders: JobOrder...) throws -> JobTable {
        var table = JobTable()
        for order in orders { _ = try table.accept(order) }
        return table
    }

    private func order(_ queue: String = "main", after: [Int] = []) -> JobOrder {
        JobOrder(command: "true", queue: queue, after: after)
    }

    private func states(_ table: JobTable) -> [Job.State] { table.jobs.map(\.state) }

    @Test func `a queue runs one job at a time, and queues run beside one another`() throws {
        var table = try table(order(), order(), order("night"), order("night"))
        #expect(table.started() == [1, 3])
        #expect(table.started().isEmpty)
        try table.end(1, .failed, status: 2)
        #expect(table.started() == [2])
        #expect(states(table) == [.failed, .running, .running, .queued])
        #expect(try table.job(1).status == 2)
    }

    @Test func `a job that waits for another one lets those behind it pass`() throws {
        var table = try table(order("night"), order(after: [1]), order())
        #expect(table.started() == [1, 3])
        try table.end(3, .succeeded, status: 0)
        #expect(table.started().isEmpty)
        try table.end(1, .succeeded, status: 0)
        #expect(table.started() == [2])
    }

    @Test(arguments: [Job.State.failed, .cancelled, .interrupted])
    func `what waits for a job without success is skipped, and so on`(end: Job.State) throws {
        var table = try table(order(), order(after: [1]), order(after: [2]), order())
        table.start()
        try table.end(1, end)
        #expect(states(table) == [end, .skipped, .skipped, .queued])
        let late = try table.accept(order(after: [3]))
        #expect(try table.job(late.id).state == .skipped)
    }

    @Test func `a job that was cancelled before it ended stays cancelled`() throws {
        var table = try table(order(), order(after: [1]))
        table.start()
        let ran = try table.job(1)
        try table.cancel(1)
        table.end(ran)
        #expect(states(table) == [.cancelled, .skipped])
        #expect(throws: JobError.notNow(1, .cancelled)) { try table.cancel(1) }
        #expect(throws: JobError.unknown(9)) { try table.cancel(9) }
    }

    @Test func `a retry puts a job back, and what was skipped because of it`() throws {
        var table = try table(order(), order(after: [1]), order(after: [2]))
        table.start()
        #expect(throws: JobError.notNow(1, .running)) { try table.retry(1) }
        try table.end(1, .failed, status: 1)
        try table.retry(1)
        #expect(states(table) == [.queued, .queued, .queued])
        #expect(try table.job(1) == Job(id: 1, order: order()))
        #expect(throws: JobError.unknown(9)) { try table.retry(9) }
    }

    @Test func `a retry puts a job back once that waits for two others`() throws {
        var table = try table(order(), order(after: [1]), order(after: [1, 2]))
        table.start()
        try table.end(1, .failed, status: 1)
        try table.retry(1)
        #expect(states(table) == [.queued, .queued, .queued])
    }

    @Test func `a job that another waits for is not forgotten, nor is the last`() throws {
        var table = JobTable()
        for _ in 1...JobTable.jobsMax { _ = try table.accept(order()) }
        table.start()
        let full = JobError.tooMany(JobTable.jobsMax)
        try table.cancel(JobTable.jobsMax)
        #expect(throws: full) { try table.accept(order()) }
        try table.end(1, .succeeded, status: 0)
        #expect(throws: full) { try table.accept(order(after: [1])) }
        _ = try table.accept(order())
        #expect(table.started() == [2])
    }

    @Test func `orders that mean nothing are refused, and leave no trace`() throws {
        var table = try table(order())
        for command in ["", " \n", String(repeating: "x", count: JobTable.commandBytesMax + 1)] {
            #expect(throws: JobError.self) { try table.accept(JobOrder(command: command)) }
        }
        let name = String(repeating: "q", count: JobTable.queueBytesMax)
        for queue in ["", name + "q"] {
            #expect(throws: JobError.self) { try table.accept(order(queue)) }
        }
        #expect(throws: JobError.unknown(2)) { try table.accept(order(after: [2])) }
        let many = Array(repeating: 1, count: JobTable.afterMax)
        #expect(throws: JobError.self) { try table.accept(order(after: many + [1])) }
        #expect(table.jobs.count == 1)
        _ = try table.accept(order(name, after: many))
        let long = String(repeating: "x", count: JobTable.commandBytesMax)
        _ = try table.accept(JobOrder(command: long))
    }

    @Test func `the oldest job that has ended is forgotten, and none that has not`() throws {
        var table = JobTable()
        for _ in 1...JobTable.jobsMax { _ = try table.accept(order()) }
        let full = JobError.tooMany(JobTable.jobsMax)
        #expect(throws: full) { try table.accept(order()) }
        table.start()
        try table.end(1, .succeeded, status: 0)
        let next = try table.accept(order())
        #expect(next.id == JobTable.jobsMax + 1)
        #expect(table.jobs.first?.id == 2)
    }

    @Test func `of kept jobs those that ran still do, and the others go on`() throws {
        var table = try table(order(), order(), order(after: [1]))
        table.start()
        var kept = JobTable(kept: table.jobs)
        #expect(states(kept) == [.running, .queued, .queued])
        #expect(kept.started().isEmpty)
        #expect(try kept.accept(order()).id == 4)
    }
}

@Suite struct JobTextTests {
    @Test func `a job file has keys in any order, and then a command`() throws {
        #expect(try JobOrder(jobFile: "make") == JobOrder(command: "make"))
        let order = try JobOrder(jobFile: "after=3, 4\nqueue=night\nin=/srv\nA=1 make\nmake test\n")
        let command = "A=1 make\nmake test\n"
        #expect(
            order == JobOrder(command: command, queue: "night", after: [3, 4], directory: "/srv"))
        #expect(throws: JobError.self) { try JobOrder(jobFile: "after=x\nmake") }
        #expect(try JobOrder(jobFile: "queue=night").command == "queue=night")
    }

    @Test(
        arguments: [
            ("[3/12] Compiling Job.swift", 0.25), ("[ 40%] Building", 0.4), ("100%", 1),
            ("in 3/0 of cases, 140 % of 12/3", nil), ("/usr/bin", nil), ("", nil), ("nan%", nil),
            ("inf/inf", nil), ("1/nan", nil),
        ] as [(String, Double?)])
    func `progress is what build tools write`(line: String, progress: Double?) {
        #expect(Job.progress(in: line) == progress)
    }
}
