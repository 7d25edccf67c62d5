// AgendaFeature: an interactor with timers and an outbox.
//
// Isolation  actor (loop executor); jobs are performed off the loop.

import Glibc
import NapkinCore

enum AgendaApp: App {
    static let id = "agenda"
    static let features: [any Feature.Type] = [Agenda.self]
    static let passivatesAfter: Duration? = .milliseconds(300)

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Agenda>()
        let interactor = AgendaInteractor(
            presenter: view.presenter, log: "\(session.dataDirectory)/\(session.id).log")
        return LaunchRouter<AgendaInteractor, Agenda>(
            interactor: interactor, view: view, listener: interactor)
    }
}

@Durable
final actor AgendaInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var entries: [String] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any AgendaPresentable
    /// Where jobs are written when they are performed.
    private let log: String
    var state = State()

    init(presenter: any AgendaPresentable, log: String) {
        self.presenter = presenter
        self.log = log
    }

    func didBecomeActive() async { await presenter.present(entries: state.entries) }

    private func add(_ entry: String) async {
        state.entries.append(entry)
        await presenter.present(entries: state.entries)
    }
}

struct NotDone: Error {}

extension AgendaInteractor: SchedulingInteractable {
    func timerFired(_ name: String, _ payload: String) async throws {
        await add("fired \(name) \(payload)")
        if payload == "posts" { try post("by \(name)") }
    }
}

extension AgendaInteractor: PostingInteractable {
    static let attempts = JobAttempts(most: 3, first: .milliseconds(20))

    /// Writes down that it was called. Fails, or is not done within a minute when it is called for
    /// the first time.
    nonisolated func perform(_ job: String, key: JobKey) async throws -> String {
        let line = Array("\(key) \(job)\n".utf8)
        let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard write(file, line, line.count) == line.count else { throw NotDone() }
        if job == "fails" { throw NotDone() }
        let isFirst = lseek(file, 0, SEEK_END) == line.count
        if job == "hangs", isFirst { try await Task.sleep(for: .seconds(60)) }
        return job
    }

    func jobSucceeded(_ job: String, _ result: String, key: JobKey) async throws {
        await add("done \(key) \(result)")
    }

    func jobFailed(_ job: String, _ failure: JobFailure, key: JobKey) async throws {
        await add("dead \(key) \(failure.attempts)")
    }
}

extension AgendaInteractor: AgendaPresentableListener {
    func remind(_ name: String, _ text: String, after milliseconds: Int64) async throws {
        try schedule(name, after: .milliseconds(milliseconds), text)
    }

    func remind(_ name: String, every milliseconds: Int64, missing: Int64) async throws {
        let missed: MissedFirings = missing == 0 ? .once : .each(max: Int(missing))
        try schedule(name, every: .milliseconds(milliseconds), missed: missed, "again")
    }

    func knows(_ name: String) async throws -> Bool { isScheduled(name) }

    func order(_ text: String) async throws -> String { try post(text).description }

    func retry() async throws -> [String] {
        let keys = deadLetters.map(\.key)
        for key in keys { retry(key) }
        return keys.map(\.description)
    }

    func fill(_ entries: Int32) async {
        for number in 0..<entries { state.entries.append("entry \(number)") }
    }
}
