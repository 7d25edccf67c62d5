// JobsInteractor: runs the jobs, and says what becomes of them.
//
// Ownership  the programs are held: they go on when this ends, and the next one finds them.
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

/// What a page shows of a job.
struct JobRun: Sendable {
    let number: Int
    let reason: String?
    let program: HeldProgram?
}

final actor JobsInteractor: PresentableInteractable {
    /// Bytes of a job's output that are kept, on disk. Chosen: some ten thousand lines, and 200 MiB
    /// with all jobs that are remembered.
    private static let outputBytes = 1 << 20

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any JobsPresentable
    private weak var router: (any JobsRouting)?
    nonisolated let jobs = StateCell<[Job]>([])
    private let session: SessionContext
    private let store: JobStore
    /// How often each job has been started here, for whoever shows what it prints.
    nonisolated let runs = StateCell<[Int: Int]>([:])
    /// How many pages have yet to show what a job has printed.
    nonisolated let readers = StateCell<[Int: Int]>([:])
    private nonisolated let programs: HeldPrograms
    /// The jobs that run, with the share of their work that their output has named.
    private var running: [Int: Double?] = [:]
    private var cancelled: Set<Int> = []
    /// The jobs whose program is being started.
    private var starting: Set<Int> = []
    /// Why jobs could not be started.
    private var reasons: [Int: String] = [:]
    private var isEnding = false

    init(presenter: any JobsPresentable, session: SessionContext) {
        self.presenter = presenter
        self.session = session
        store = JobStore(session: session)
        programs = HeldPrograms(of: session)
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
        // What is queued runs anew: a program under its number is that of an earlier run.
        for job in store.table.value.jobs where job.state == .queued { programs.remove(job.key) }
        // If it cannot be saved, nothing starts: the store has logged why, and the next tick tries
        // again.
        try? await store.change { $0.start() }
        let now = store.table.value.jobs
        for job in now where job.state == .running && running[job.id] == nil {
            running[job.id] = .some(nil)
            task(name: "job") { await self.run(job) }
        }
        jobs.value = now.map(measured)
        await presenter.present(
            running: now.count { $0.state == .running }, queued: now.count { $0.state == .queued })
    }

    /// A job with what it has done so far, if it runs.
    private func measured(_ job: Job) -> Job {
        guard let progress = running[job.id] else { return job }
        var job = job
        job.seconds = programs[job.key].map { $0.duration / .seconds(1) } ?? 0
        job.progress = progress
        return job
    }

    // MARK: - A job's run

    private func run(_ job: Job) async {
        var end = job
        end.state = .failed
        do {
            let program = try await program(of: job)
            if cancelled.contains(job.id) { program.terminate() }
            for try await line in program.lines() {
                guard let progress = Job.progress(in: line.text) else { continue }
                running[job.id] = progress
            }
            switch try await program.end {
            case .ended(.exited(let status)): end.status = status
            case .ended(.signalled(let signal)): end.status = 128 + signal
            case .keeperKilled, .machineRestarted, .removed: end.state = .interrupted
            }
            if end.status == 0 { end.state = .succeeded }
        } catch is CancellationError {
            // The program goes on, and the next worker follows it.
            return
        } catch {
            reasons[job.id] = "\(error)"
            runs.update { $0[job.id, default: 0] += 1 }
        }
        if cancelled.remove(job.id) != nil { (end.state, end.status) = (.cancelled, nil) }
        let ended = measured(end)
        await store.noteEnd(of: ended)
        running[job.id] = nil
        await advance()
        await announce(ended)
    }

    /// The program of a job that is to run: an earlier worker may have started it.
    private func program(of job: Job) async throws -> HeldProgram {
        starting.insert(job.id)
        defer { starting.remove(job.id) }
        if let program = programs[job.key] { return program }
        reasons[job.id] = nil
        let program = try await programs.start(
            job.key, "/bin/sh", ["-c", job.order.command], in: job.order.directory,
            keeping: Self.outputBytes)
        runs.update { $0[job.id, default: 0] += 1 }
        return program
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
        let remembered = Set(store.table.value.jobs.map(\.key))
        for key in programs.keys where !remembered.contains(key) { programs.remove(key) }
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
        if running[id] != nil {
            cancelled.insert(id)
            programs[job.key]?.terminate()
        }
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
            guard job.hasEnded else { continue }
            // Whoever looks sees what it has printed, then its end.
            if programs[job.key] != nil {
                for await readers in readers.values where readers[id] == nil { break }
            }
            return job
        }
        throw .unknown(id)
    }
}

// What pages and links may do besides.
extension JobsInteractor {
    /// The newest run of a job, or why it could not be started; `nil` if it has not begun.
    func run(of id: Int) -> JobRun? {
        let (reason, program) = (reasons[id], programs[Job.key(of: id)])
        guard !starting.contains(id), reason != nil || program != nil else { return nil }
        return JobRun(number: runs.value[id] ?? 0, reason: reason, program: program)
    }

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
