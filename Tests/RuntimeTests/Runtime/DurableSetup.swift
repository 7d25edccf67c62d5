// DurableSetup: a durable session in memory, whose worker can die, and its own clock.
//
// Isolation  @MainActor: the main queue, in which the loop is embedded here.

import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

@testable import NapkinRuntime

/// Writes down what happens to it.
@Durable
final actor DueActor: Interactable, PanelPresentableListener {
    @Message struct State: DurableState {
        var lines: [String] = []
    }

    typealias Work = @Sendable (String, JobKey) async throws -> String

    nonisolated let lifecycle = InteractorLifecycle()
    var state = State()
    @Volatile private(set) var interrupted: [InterruptedEvent] = []
    /// Where handlers wait that are to wait.
    nonisolated let work: Work

    init(work: @escaping Work) { self.work = work }

    var lines: [String] { state.lines }

    func didRestore(interrupted: [InterruptedEvent]) async { self.interrupted = interrupted }

    func hear(_ number: Int) async {}
    func double(_ number: Int) async throws -> Int { number }
    func act(_ name: String) async throws -> String { name }

    func does(_ deed: @Sendable (isolated DueActor) throws -> Void) rethrows { try deed(self) }
}

extension DueActor: SchedulingInteractable, PostingInteractable {
    static let attempts = JobAttempts(most: 3, first: .seconds(8))

    func timerFired(_ name: String, _ payload: String) async throws {
        if payload == "hangs" { _ = try await work("wait", JobKey.random()) }
        if payload == "works" { _ = try await work("timer", JobKey.random()) }
        state.lines.append("fired \(name)")
        if payload == "throws" { throw Mishap(description: "thrown") }
        if payload == "waits" { _ = try await work("wait", JobKey.random()) }
    }

    nonisolated func perform(_ job: String, key: JobKey) async throws -> String {
        try await work(job, key)
    }

    func jobSucceeded(_ job: String, _ result: String, key: JobKey) async throws {
        state.lines.append("done \(result)")
        if result == "works" { _ = try await work("result", key) }
        if result == "throws" { throw Mishap(description: "thrown") }
    }

    func jobRetries(
        _ job: String, _ failure: JobFailure, nextAttempt: Double, key: JobKey
    ) async {
        if job == "tells" {
            state.lines.append("again after \(failure.attempts): \(failure.reason)")
        }
    }

    func jobFailed(_ job: String, _ failure: JobFailure, key: JobKey) async throws {
        if job.hasPrefix("dies") { _ = try await work("end of \(job)", key) }
        state.lines.append("dead \(job) \(failure.attempts)")
    }
}

/// Durable, and takes neither timers nor jobs.
@Durable
final actor PlainActor: Interactable, PanelPresentableListener {
    @Message struct State: DurableState {
        var lines: [String] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    var state = State()

    func hear(_ number: Int) async {}
    func double(_ number: Int) async throws -> Int { number }
    func act(_ name: String) async throws -> String { name }
}

@MainActor
final class DurableSetup {
    private let store = MemoryStore()
    private(set) var journal: Journal
    private(set) var session: SessionHost
    private(set) var interactor: DueActor
    /// The time of day.
    var now: Int64 = 1_000_000_000
    /// What `perform` does.
    let work: DueActor.Work

    init(work: @escaping DueActor.Work = { job, _ in job }) async throws {
        self.work = work
        journal = try Journal(durability: .process, isNew: true, store)
        session = Self.makeSession()
        interactor = DueActor(work: work)
        let image = SessionLedger(
            journal: journal, name: "office", id: "office", epoch: session.epoch)
        await launch(image, interactor)
    }

    private static func makeSession() -> SessionHost {
        SessionHost(name: "office", app: "house", epoch: 7, features: [Panel.self])
    }

    private func launch<I: Interactable & PanelPresentableListener>(
        _ ledger: SessionLedger, _ interactor: I
    ) async {
        journal.scheduler.clock = { [unowned self] in now }
        session.keep(in: ledger)
        await session.launch(
            LaunchRouter<I, Panel>(
                interactor: interactor, view: RemoteView<Panel>(), listener: interactor))
        await settle()
    }

    /// Lets everything that is ready run, and makes it durable.
    func settle() async {
        for _ in 0..<20 { await turn() }
        await journal.waitUntilDurable()
        for _ in 0..<5 { await turn() }
    }

    /// So much time passes, in milliseconds, and the session is looked at.
    func passes(_ milliseconds: Int64) async {
        now += milliseconds
        journal.scheduler.runDue()
        await settle()
    }

    /// The worker dies, and the next one finds what is stored; it restores the session, unless it
    /// is not to.
    func dies(restoring: Bool = true) async throws {
        session.ledger?.close()
        journal.scheduler.stop()
        await journal.waitUntilDurable()
        await session.end(Refusal(.sessionEnded, "the worker has died"))
        journal = try Journal(durability: .process, store)
        await journal.scheduler.find(in: journal)
        if restoring { try await restores() }
    }

    func restores(bySuccessor: Bool = false) async throws {
        guard let image = try await journal.image(named: "office") else {
            throw Mishap(description: "nothing is stored")
        }
        session = Self.makeSession()
        interactor = DueActor(work: work)
        let ledger = SessionLedger(journal: journal, restoring: image)
        await bySuccessor ? launch(ledger, PlainActor()) : launch(ledger, interactor)
    }

    func end() async {
        session.ledger?.close()
        journal.scheduler.stop()
        await journal.waitUntilDurable()
        await session.end(Refusal(.sessionEnded, "the test is over"))
    }
}
