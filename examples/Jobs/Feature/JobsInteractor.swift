// JobsInteractor: runs the jobs, keeps what they print, and says what becomes of them.
//
// Ownership  owns the programs: they end with its scope.
// Invariant  a job is on disk before it is shown, and as running before it runs. Its end is shown
//            at once: it has been seen, and a disk that is full does not undo it.

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
    private var outputs: [Int: JobOutput] = [:]
    private var running: [Int: (task: Task<Void, Never>, began: AnyClock.Instant)] = [:]
    private var isEnding = false

    init(presenter: any JobsPresentable, session: SessionContext) {
        self.presenter = presenter
        self.session = session
        store = JobStore(session: session)
    }

    func wire(router: any JobsRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        await store.load()
        task {
            for await _ in self.session.clock.every(.seconds(1)) {
                let isBehind = await self.store.isBehind
                if isBehind || !self.running.isEmpty { await self.advance() }
            }
        }
        await advance()
    }

    func willResignActive() {
        isEnding = true
    }

    /// Starts what may run, and shows what has changed.
    private func advance() async {
        // If it cannot be saved, nothing starts: the store has logged why, and the next tick tries
        // again.
        try? await store.change { $0.start() }
        let now = store.table.value.jobs
        outputs = Dictionary(
            uniqueKeysWithValues: now.map { ($0.id, outputs[$0.id] ?? JobOutput()) })
        for job in now where job.state == .running && running[job.id] == nil {
            running[job.id] = (task(name: "job") { await self.run(job) }, session.clock.now)
        }
        jobs.value = now.map(measured)
        await presenter.present(
            running: now.count { $0.state == .running }, queued: now.count { $0.state == .queued })
    }

    /// A job with what it has done so far, if it runs.
    private func measured(_ job: Job) -> Job {
        guard let run = running[job.id] else { return job }
        var job = job
        job.seconds = (session.clock.now - run.began) / .seconds(1)
        job.progress = outputs[job.id]?.progress
        return job
    }

    // MARK: - A job's run

    private func run(_ job: Job) async {
        outputs[job.id]?.append("$ \(job.order.command)")
        // The command itself, or a former run, says nothing about this one.
        outputs[job.id]?.progress = nil
        var end = job
        end.state = .failed
        do {
            let ending = try await runProgram(
                "/bin/sh", ["-c", job.order.command], in: job.order.directory
            ) { lines in
                for try await line in lines { outputs[job.id]?.append(line) }
            }
            switch ending {
            case .exited(let status): end.status = status
            case .signalled(let signal): end.status = 128 + signal
            }
            if end.status == 0 { end.state = .succeeded }
        } catch is CancellationError {
            end.state = .cancelled
        } catch {
            outputs[job.id]?.append("\(error)")
        }
        // What ends with the worker is kept as running, and will have been interrupted.
        if isEnding { return }
        let ended = measured(end)
        await store.noteEnd(of: ended)
        running[job.id] = nil
        await advance()
        await announce(ended)
    }

    /// Says on every page what has failed; and elsewhere, if nobody looks at one.
    private func announce(_ job: Job) async {
        let isLast = jobs.value.allSatisfy(\.hasEnded)
        let news = "job \(job.id) \(job.state.rawValue): \(job.order.command)"
        if job.state == .failed { await presenter.announce(news) }
        let notifier = session.configuration[JobsApp.notifier]
        let isWatched = session.attachedFronts.contains(where: \.isAskable)
        guard job.state == .failed || isLast, !isWatched, !notifier.isEmpty else { return }
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
        let id = try await store.change { table throws(JobError) in try table.accept(order).id }
        await advance()
        return id
    }

    func cancel(_ id: Int) async throws(JobError) {
        try mayChange()
        let job = try store.table.value.job(id)
        if job.state == .running {
            guard await isSure("Job \(id) runs: \(job.order.command)\nCancel it?") else { return }
        }
        if running[id] == nil {
            try await store.change { table throws(JobError) in try table.cancel(id) }
        }
        // It may also have started meanwhile.
        running[id]?.task.cancel()
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
        try await store.change { table throws(JobError) in try table.retry(id) }
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
        _ = try store.table.value.job(id)
        let addressed = session.attachedFronts.filter { number == nil || $0.id == number }
        guard !addressed.isEmpty else {
            throw DeepLinkError(.unknown, "there is no such front to open job \(id) on; see `ls`")
        }
        for front in addressed { await router?.routeToJob(id, for: front) }
    }
}
