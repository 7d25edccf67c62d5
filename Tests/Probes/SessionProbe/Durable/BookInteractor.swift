// BookInteractor: enters amounts, and the apps that do.
//
// Layer      test executable.
// Isolation  actor (loop executor).

import NapkinCore

@Durable
final actor BookInteractor: PresentableInteractable {
    @Message struct State: DurableState {
        var entries: [Int64] = []
        var interrupted: [String] = []
        var page: Int64?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BookPresentable
    @Volatile private weak var router: BookRouter?
    var state = State()

    init(presenter: any BookPresentable) { self.presenter = presenter }

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
        state.page = amount
        await router?.turn(to: amount)
        return place
    }

    func entries() async throws -> [Int64] { state.entries }

    func interrupted() async throws -> Int { state.interrupted.count }
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
    private let page = ChildSlot<Page>("page")

    func turn(to number: Int64) async {
        await transition {
            await detach(page)
            await open(number)
        }
    }

    private func open(_ number: Int64) async {
        await attach(page, arguments: .init(number: number)) { view in
            PageInteractor(presenter: view.presenter, book: interactor)
        }
    }

    override func restoreChild(in slot: String, arguments: Payload) async {
        if slot == page.name, let number = await interactor.state.page { await open(number) }
    }
}

enum BookApp: App {
    static let id = "book"
    static let features: [any Feature.Type] = [Book.self, Page.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Book>()
        let interactor = BookInteractor(presenter: view.presenter)
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
