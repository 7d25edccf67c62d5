// JobTable: which job may run, and what the end of one means for the others.
//
// Layer      feature. No processes, clocks or tasks here.
// Isolation  value.
// Invariant  at most one job of a queue runs; a job waits only for jobs with smaller numbers.

import JobsContract

/// The jobs of a session, in the order of their numbers.
struct JobTable: Sendable {
    /// Jobs that are remembered. Chosen: some screens; the oldest that have ended are forgotten.
    static let jobsMax = 200
    /// Bytes of a command. Chosen: a page; a longer one is a script and belongs into a file.
    static let commandBytesMax = 4096
    /// Jobs that one job waits for, and bytes of a queue's name. Chosen.
    static let afterMax = 64
    static let queueBytesMax = 64

    private(set) var jobs: [Job] = []

    /// Takes up what was kept. Jobs that ran are interrupted.
    init(kept: [Job] = []) {
        jobs = kept
        for index in jobs.indices where jobs[index].state == .running {
            jobs[index].state = .interrupted
        }
        skip()
    }

    func job(_ id: Int) throws(JobError) -> Job {
        guard let index = index(of: id) else { throw .unknown(id) }
        return jobs[index]
    }

    mutating func accept(_ order: JobOrder) throws(JobError) -> Job {
        let command = order.command.utf8.count
        guard order.command.contains(where: { !$0.isWhitespace }), command <= Self.commandBytesMax
        else { throw .order("a command has 1 to \(Self.commandBytesMax) bytes") }
        guard 1...Self.queueBytesMax ~= order.queue.utf8.count, order.after.count <= Self.afterMax
        else { throw .order("a queue's name has 1 to \(Self.queueBytesMax) bytes") }
        for id in order.after { _ = try job(id) }
        if jobs.count >= Self.jobsMax {
            // Not the last, whose number would be given again, and none that somebody waits for.
            let needed = Set(jobs.filter { !$0.hasEnded }.flatMap(\.order.after) + order.after)
            let oldest = jobs.dropLast().firstIndex { $0.hasEnded && !needed.contains($0.id) }
            guard let oldest else { throw .tooMany(jobs.count) }
            jobs.remove(at: oldest)
        }
        let job = Job(id: (jobs.last?.id ?? 0) + 1, order: order)
        jobs.append(job)
        skip()
        return job
    }

    /// Marks the jobs that may run now as running, and returns them: of each queue without a
    /// running job the first that waits for nothing, and is not one of `others`.
    mutating func start(except others: Set<Int> = []) -> [Job] {
        var busy = Set(jobs.filter { $0.state == .running }.map(\.order.queue))
        var started: [Job] = []
        for index in jobs.indices where jobs[index].state == .queued {
            let job = jobs[index]
            guard !busy.contains(job.order.queue), !others.contains(job.id),
                job.order.after.allSatisfy({ state(of: $0) == .succeeded })
            else { continue }
            busy.insert(job.order.queue)
            jobs[index].state = .running
            started.append(jobs[index])
        }
        return started
    }

    /// A job has ended. Those that wait for its success are skipped if it has none.
    mutating func end(_ id: Int, _ state: Job.State, status: Int32? = nil) {
        change(id) { job in
            job.state = state
            job.status = status
        }
        skip()
    }

    /// Puts a job back into its queue, and those that were skipped because of it.
    mutating func retry(_ id: Int) throws(JobError) {
        let job = try job(id)
        guard job.hasEnded else { throw .notNow(id, job.state) }
        change(id) { $0 = Job(id: id, order: $0.order) }
        // One of them may put another one back.
        for other in jobs
        where other.order.after.contains(id) && state(of: other.id) == .skipped {
            try retry(other.id)
        }
        skip()
    }

    /// Removes a job that was not accepted after all.
    mutating func forget(_ id: Int) { jobs.removeAll { $0.id == id } }

    mutating func change(_ id: Int, _ change: (inout Job) -> Void) {
        if let index = index(of: id) { change(&jobs[index]) }
    }

    /// Skips what can no longer run. One pass is enough: a job waits for smaller numbers only.
    private mutating func skip() {
        for index in jobs.indices where jobs[index].state == .queued {
            let isLost = jobs[index].order.after.contains { id in
                // One that has been forgotten had ended, and nobody knows how.
                guard let state = state(of: id) else { return true }
                return ![.queued, .running, .succeeded].contains(state)
            }
            if isLost { jobs[index].state = .skipped }
        }
    }

    private func state(of id: Int) -> Job.State? { index(of: id).map { jobs[$0].state } }

    private func index(of id: Int) -> Int? { jobs.firstIndex { $0.id == id } }
}
