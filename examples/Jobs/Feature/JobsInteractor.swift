// JobsInteractor: runs the jobs, keeps what they print, and says what becomes of them.
//
// Layer      feature.
// Isolation  actor (loop executor).
// Ownership  owns the table, and the programs: they end with its scope.
// Invariant  what is shown is on disk, and so is a job before it runs.

import JobsContract
import NapkinCore
import NapkinSystem

/// The routes from the root.
@MainActor
protocol JobsRouting: LaunchRouting {
    func routeToJob(_ id: Int, for front: AttachedFront) async
}

final actor JobsInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any JobsPresentable
    private weak var router: (any JobsRouting)?
    nonisolated let jobs = StateCell<[Job]>([])
    private let session: SessionContext
    private let store: JobStore
    private var table = JobTable()
    private var version = 0
    /// Jobs that are not on disk yet: they do not run, and nobody sees them.
    private var unkept: Set<Int> = []
    private var outputs: [Int: JobOutput] = [:]
    private var running: [Int: (task: Task<Void, Never>, began: AnyClock.Instant)] = [:]
    private var fronts: [AttachedFront] = []
    private var isEnding = false

    init(presenter: any JobsPresentable, session: SessionContext) {
        self.presenter = presenter
        self.session = session
        store = JobStore(path: "\(session.dataDirectory)/\(session.id).json")
    }

    func wire(router: any JobsRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        do {
            table = JobTable(kept: try await store.load())
        } catch {
            session.logger.error("kept jobs cannot be read", metadata: ["error": "\(error)"])
        }
        for job in table.jobs { outputs[job.id] = JobOutput() }
        task { for await fronts in self.session.fronts { self.fronts = fronts } }
        task {
            for await _ in self.session.clock.every(.seconds(1)) where !self.running.isEmpty {
                await self.show()
            }
        }
        await advance()
    }

    func willResignActive() {
        isEnding = true
    }

    /// Starts what may run, and shows what has changed.
    private func advance() async {
        let started = table.start(except: unkept)
        do throws(JobError) {
            try await keep()
        } catch {
            session.logger.error("jobs cannot be kept", metadata: ["error": "\(error)"])
            // They wait for the next change, which tries again.
            for job in started where isStarting(job.id) {
                table.change(job.id) { $0.state = .queued }
            }
        }
        // Some of them may have been cancelled meanwhile.
        for job in started where isStarting(job.id) {
            let task = task(name: "job") { await self.run(job) }
            running[job.id] = (task, session.clock.now)
        }
        await show()
    }

    private func isStarting(_ id: Int) -> Bool {
        table.jobs.contains { $0.id == id && $0.state == .running } && running[id] == nil
    }

    private func keep() async throws(JobError) {
        version += 1
        try await store.save(table.jobs, version: version)
    }

    private func show() async {
        for (id, run) in running { measure(id, since: run.began) }
        jobs.value = table.jobs.filter { !unkept.contains($0.id) }
        let queued = jobs.value.count { $0.state == .queued }
        await presenter.present(running: running.count, queued: queued)
    }

    private func measure(_ id: Int, since began: AnyClock.Instant) {
        table.change(id) { $0.seconds = (session.clock.now - began) / .seconds(1) }
    }

    // MARK: - A job's run

    private func run(_ job: Job) async {
        take("$ \(job.order.command)", of: job.id)
        var state = Job.State.failed
        var status: Int32?
        do {
            let end = try await runProgram(
                "/bin/sh", ["-c", job.order.command], in: job.order.directory
            ) { lines in
                for try await line in lines { take(line, of: job.id) }
            }
            status =
                switch end {
                case .exited(let status): status
                case .signalled(let signal): 128 + signal
                }
            if status == 0 { state = .succeeded }
        } catch is CancellationError {
            state = .cancelled
        } catch {
            take("\(error)", of: job.id)
        }
        // What ends with the worker is kept as running, and will have been interrupted.
        if isEnding { return }
        if let run = running.removeValue(forKey: job.id) { measure(job.id, since: run.began) }
        table.end(job.id, state, status: status)
        await advance()
        await announce(job, state)
    }

    private func take(_ line: String, of id: Int) {
        outputs[id]?.append(line)
        if let progress = JobOutput.progress(in: line) {
            table.change(id) { $0.progress = progress }
        }
    }

    /// Says on every page what has failed; and elsewhere, if nobody looks at one.
    private func announce(_ job: Job, _ state: Job.State) async {
        let isLast = table.jobs.allSatisfy(\.hasEnded)
        let news = "job \(job.id) \(state.rawValue): \(job.order.command)"
        if state == .failed { await presenter.announce(news) }
        let notifier = session.configuration[JobsApp.notifier]
        let isWatched = fronts.contains(where: \.isAskable)
        guard state == .failed || isLast, !isWatched, !notifier.isEmpty else { return }
        task(name: "notifier") {
            do {
                _ = try await runProgram(notifier, [news]) { for try await _ in $0 {} }
            } catch {
                if self.isEnding { return }
                self.session.logger.warning("nobody was told", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension JobsInteractor: JobsPresentableListener {
    func submit(_ order: JobOrder) async throws(JobError) -> Int {
        let job = try table.accept(order)
        let kept = Set(table.jobs.map(\.id))
        outputs = outputs.filter { kept.contains($0.key) }
        outputs[job.id] = JobOutput()
        unkept.insert(job.id)
        do throws(JobError) {
            try await keep()
        } catch {
            unkept.remove(job.id)
            table.forget(job.id)
            throw error
        }
        unkept.remove(job.id)
        await advance()
        return job.id
    }

    func cancel(_ id: Int) async throws(JobError) {
        try mayChange()
        let job = try table.job(id)
        guard !job.hasEnded else { throw .notNow(id, job.state) }
        if job.state == .running {
            guard await isSure("Job \(id) runs: \(job.order.command)\nCancel it?") else { return }
        }
        // It may have ended while somebody thought it over.
        if let run = running[id] { return run.task.cancel() }
        guard try !table.job(id).hasEnded else { return }
        table.end(id, .cancelled)
        await advance()
    }

    /// A script is not asked: it has said what it wants.
    private func isSure(_ question: String) async -> Bool {
        do {
            return try await ask(.caller) { try await presenter.confirmCancel(question) }
        } catch {
            return (error as? RemoteFault)?.code == .noFront
        }
    }

    func retry(_ id: Int) async throws(JobError) {
        try mayChange()
        try table.retry(id)
        await advance()
    }

    /// Pages may be used by fronts that are here to look, and end here when they change something.
    private func mayChange() throws(JobError) {
        if AttachedFront.caller?.isReadOnly == true { throw .readOnly }
    }

    func end(of id: Int) async throws(JobError) -> Job {
        for await jobs in jobs.values {
            guard let job = jobs.first(where: { $0.id == id }) else { break }
            if job.hasEnded { return job }
        }
        throw .unknown(id)
    }
}

// What pages and links may do besides.
extension JobsInteractor {
    func output(of id: Int) -> JobOutput? { outputs[id] }

    /// Opens a job on the page of that front, without a number on each front's page.
    func open(_ id: Int, for number: UInt64?) async throws {
        _ = try table.job(id)
        let addressed = fronts.filter { number == nil || $0.id == number }
        guard !addressed.isEmpty else {
            throw DeepLinkError(.unknown, "there is no such front to open job \(id) on; see `ls`")
        }
        for front in addressed { await router?.routeToJob(id, for: front) }
    }
}
