// JobTable: which job may run, and what the end of one means for the others.
//
// Layer      feature. No processes, clocks or tasks here.
// Invariant  at most one job of a queue runs; a job waits only for jobs with smaller numbers.

import JobsContract

/// The jobs of a session, in the order of their numbers.
struct JobTable: Sendable {
    /// Jobs that are remembered. Chosen: some screens; the oldest that have ended are forgotten.
    static let jobsMax = 200
    /// Bytes of a command. Chosen: a page; a longer one is a script and belongs into a file.
    static let commandBytesMax = 4096
    /// Jobs that one job waits for, and bytes of a queue's name. Chosen: more than a person types.
    static let afterMax = 64
    static let queueBytesMax = 64

    private(set) var jobs: [Job] = []

    /// Takes up what was kept. The program of a job that ran may still run.
    init(kept: [Job] = []) {
        jobs = kept
        skip()
    }

    func job(_ id: Int) throws(JobError) -> Job {
        guard let job = jobs.first(where: { $0.id == id }) else { throw .unknown(id) }
        return job
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

    /// Marks the jobs that may run now as running: of each queue without a running job the first
    /// that waits for nothing.
    mutating func start() {
        var busy = Set(jobs.filter { $0.state == .running }.map(\.order.queue))
        for index in jobs.indices where jobs[index].state == .queued {
            let job = jobs[index]
            guard !busy.contains(job.order.queue),
                job.order.after.allSatisfy({ state(of: $0) == .succeeded })
            else { continue }
            busy.insert(job.order.queue)
            jobs[index].state = .running
        }
    }

    /// A job that ran has ended as this one; it has not, if somebody has cancelled it before.
    mutating func end(_ job: Job) {
        if state(of: job.id) == .running { put(job) }
    }

    /// Takes a job out of its queue.
    mutating func cancel(_ id: Int) throws(JobError) {
        var job = try job(id)
        guard !job.hasEnded else { throw .notNow(id, job.state) }
        job.state = .cancelled
        put(job)
    }

    /// Puts a job back into its queue, and those that were skipped because of it.
    mutating func retry(_ id: Int) throws(JobError) {
        let job = try job(id)
        guard job.hasEnded else { throw .notNow(id, job.state) }
        put(Job(id: id, order: job.order))
        // One of them may put another one back.
        for other in jobs
        where other.order.after.contains(id) && state(of: other.id) == .skipped {
            try retry(other.id)
        }
    }

    /// Replaces the job of this number.
    private mutating func put(_ job: Job) {
        if let index = jobs.firstIndex(where: { $0.id == job.id }) { jobs[index] = job }
        skip()
    }

    /// Skips what can no longer run. One pass is enough: a job waits for smaller numbers only.
    private mutating func skip() {
        for index in jobs.indices where jobs[index].state == .queued {
            // One that has been forgotten had ended, and nobody knows how.
            let isLost = jobs[index].order.after.contains { id in
                ![.queued, .running, .succeeded].contains(state(of: id))
            }
            if isLost { jobs[index].state = .skipped }
        }
    }

    private func state(of id: Int) -> Job.State? { jobs.first { $0.id == id }?.state }
}
