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
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BookPresentable
    var state = State()

    init(presenter: any BookPresentable) { self.presenter = presenter }

    func didRestore(interrupted: [InterruptedEvent]) async {
        state.interrupted += interrupted.map(\.method)
    }

    func didBecomeActive() async { await presenter.present(entries: state.entries) }

    @discardableResult
    private func enter(_ amount: Int64) async -> Int {
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

    func entries() async throws -> [Int64] { state.entries }

    func interrupted() async throws -> Int { state.interrupted.count }
}

enum BookApp: App {
    static let id = "book"
    static let features: [any Feature.Type] = [Book.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Book>()
        let interactor = BookInteractor(presenter: view.presenter)
        return LaunchRouter<BookInteractor, Book>(
            interactor: interactor, view: view, listener: interactor)
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
