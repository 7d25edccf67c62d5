// BookInteractor: enters amounts, at once, by timers and by jobs; and the apps that do.
//
// Isolation  actor (loop executor); jobs are performed off the loop.

import Glibc
import NapkinCore

@Durable
final actor BookInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var entries: [Int64] = []
        var interrupted: [String] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BookPresentable
    @Volatile private weak var router: BookRouter?
    /// Where jobs are written when they are performed.
    private let log: String
    var state = State()

    init(presenter: any BookPresentable, log: String) {
        (self.presenter, self.log) = (presenter, log)
    }

    func wire(_ router: BookRouter) { self.router = router }

    func didRestore(interrupted: [InterruptedEvent]) async {
        state.interrupted += interrupted.map(\.method)
    }

    func didBecomeActive() async { await presenter.present(entries: state.entries) }

    @discardableResult
    func enter(_ amount: Int64) async -> Int {
        state.entries.append(amount)
        await presenter.present(entries: state.entries)
        await presenter.flash(amount)
        return state.entries.count
    }
}

/// What a handler throws that is to fail.
struct Planned: Error {}

extension BookInteractor: BookPresentableListener {
    func once(_ amount: Int64) async throws -> Int { await enter(amount) }

    func twice(_ amount: Int64, pausing microseconds: Int) async throws -> Int {
        await enter(amount)
        try await Task.sleep(for: .microseconds(microseconds))
        return await enter(amount)
    }

    func later(_ amount: Int64, pausing microseconds: Int) async throws -> Int {
        try await Task.sleep(for: .microseconds(microseconds))
        return await enter(amount)
    }

    func aside(_ amount: Int64) async throws {
        task { await self.enter(amount) }
    }

    func fails(_ amount: Int64) async throws {
        await enter(amount)
        try schedule("\(amount)", after: .zero, amount)
        try post(amount)
        throw Planned()
    }

    func failsLater(_ amount: Int64, pausing microseconds: Int) async throws {
        await enter(amount)
        try await Task.sleep(for: .microseconds(microseconds))
        await enter(amount)
        throw Planned()
    }

    func turns(_ amount: Int64) async throws -> Int {
        let place = await enter(amount)
        await router?.turn(to: amount)
        return place
    }

    func reminds(_ amount: Int64, after milliseconds: Int64) async throws {
        try schedule("\(amount)", after: .milliseconds(milliseconds), amount)
    }

    func posts(_ amount: Int64) async throws -> String { try post(amount).description }

    func entries() async throws -> [Int64] { state.entries }

    func interrupted() async throws -> Int { state.interrupted.count }
}

extension BookInteractor: SchedulingInteractable {
    func timerFired(_ name: String, _ payload: Int64) async throws { await enter(payload) }
}

extension BookInteractor: PostingInteractable {
    /// A worker's death is an attempt that has failed, and there are many.
    static let attempts = JobAttempts(
        most: 10_000, first: .milliseconds(2), longest: .milliseconds(50))

    /// Writes down that it was called, and takes up to 20 ms, before or after it.
    nonisolated func perform(_ job: Int64, key: JobKey) async throws -> Int64 {
        let pause = Duration.milliseconds(job % 20)
        if job % 2 == 0 { try await Task.sleep(for: pause) }
        let line = Array("\(key) \(job)\n".utf8)
        let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard write(file, line, line.count) == line.count else { throw Planned() }
        if job % 2 == 1 { try await Task.sleep(for: pause) }
        return job
    }

    func jobSucceeded(_ job: Int64, _ result: Int64, key: JobKey) async throws {
        await enter(result)
    }

    func jobFailed(_ job: Int64, _ failure: JobFailure, key: JobKey) async throws {}
}

@Durable
final actor PageInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var marks: [Int64] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PagePresentable
    private let book: BookInteractor
    var state = State()

    init(presenter: any PagePresentable, book: BookInteractor) {
        self.presenter = presenter
        self.book = book
    }

    func didBecomeActive() async { await presenter.present(marks: state.marks) }
}

extension PageInteractor: PagePresentableListener {
    func marks(_ amount: Int64) async throws -> Int {
        state.marks.append(amount)
        await presenter.present(marks: state.marks)
        return await book.enter(amount)
    }

    func marksFails(_ amount: Int64) async throws {
        _ = try await marks(amount)
        throw Planned()
    }
}

@MainActor
final class BookRouter: LaunchRouter<BookInteractor, Book> {
    private let page = ChildRoute<BookRouter, Page>("page") { router, view in
        PageInteractor(presenter: view.presenter, book: router.interactor)
    }

    func turn(to number: Int64) async {
        await transition {
            await detach(page)
            await attach(page, arguments: .init(number: number))
        }
    }
}

enum BookApp: App {
    static let id = "book"
    static let features: [any Feature.Type] = [Book.self, Page.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Book>()
        let interactor = BookInteractor(
            presenter: view.presenter, log: "\(session.dataDirectory)/\(session.id).log")
        let router = BookRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }
}

/// The same, with nothing synced.
enum QuickBookApp: App {
    static let id = "quick-book"
    static let features = BookApp.features
    static let durability = Durability.process

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await BookApp.makeRoot(session)
    }
}
