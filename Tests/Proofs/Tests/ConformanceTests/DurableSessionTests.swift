// DurableSessionTests: what a session under test says about states that do not come back.

package import NapkinCore
import NapkinTesting
import Testing

@Crossing @MainActor
package protocol ShelfPresentable: Presentable {
    func present(books: [String]) async
    func present(looks: Int) async
    func present(notice: String?) async
}

@Crossing
package protocol ShelfPresentableListener: PresentableListener {
    func put(_ book: String) async
    /// Puts a book, and presents something that is not kept.
    func look(at book: String) async
    /// Puts a book, waits, and puts another.
    func putSlowly(_ book: String, and other: String) async
    /// Attaches a shelf in a slot that does not say how.
    func extend() async
    /// Attaches shelves by routes: in a slot, and below it on a stack.
    func install(_ label: String) async
}

package enum Shelf: Feature {
    package static let id: FeatureID = "shelf"
    package typealias Presenting = ShelfPresentableCrossing
    package typealias Listening = ShelfPresentableListenerCrossing
}

package enum Rack: Feature {
    package static let id: FeatureID = "rack"
    package typealias Arguments = RackArguments
    package typealias Presenting = ShelfPresentableCrossing
    package typealias Listening = ShelfPresentableListenerCrossing
}

@Message
package struct RackArguments: Equatable {
    package var label: String
}

@Durable
private final actor ShelfInteractor: PresentableInteractable {
    @Message fileprivate struct State: DurableState {
        var books: [String] = []
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any ShelfPresentable
    fileprivate var state = State()
    @Volatile private var looks = 0
    @Volatile private weak var router: ShelfRouter?

    init(presenter: any ShelfPresentable, books: [String] = []) {
        self.presenter = presenter
        state.books = books
    }

    func wire(_ router: ShelfRouter) { self.router = router }

    func didBecomeActive() async { await presenter.present(books: state.books) }
}

extension ShelfInteractor: ShelfPresentableListener {
    func put(_ book: String) async {
        state.books.append(book)
        await presenter.present(books: state.books)
        await presenter.present(notice: nil)
    }

    func look(at book: String) async {
        await put(book)
        looks += 1
        await presenter.present(looks: looks)
    }

    func putSlowly(_ book: String, and other: String) async {
        await put(book)
        await Task.yield()
        await put(other)
    }

    func extend() async {
        state.books.append("extension")
        await router?.extend()
    }

    func install(_ label: String) async {
        await put(label)
        await router?.install(label)
    }
}

private final class RackRouter: ViewableRouter<ShelfInteractor, Rack> {
    private let pages = ChildStack()
    private let middle = ChildRoute<RackRouter, Rack>("middle", on: \.pages) { _, view in
        ShelfInteractor(presenter: view.presenter, books: [view.arguments.label])
    }

    func install(_ label: String) async {
        await attach(middle, arguments: RackArguments(label: label))
    }
}

private final class ShelfRouter: LaunchRouter<ShelfInteractor, Shelf> {
    private let upper = ChildSlot<Rack>("upper")
    private let lower = ChildRoute<ShelfRouter, Rack>("lower") { _, view in
        let interactor = ShelfInteractor(
            presenter: view.presenter, books: [view.arguments.label])
        return RackRouter(interactor: interactor, view: view, listener: interactor)
    }

    func install(_ label: String) async {
        await attach(lower, arguments: RackArguments(label: label))
        await (lower.child as? RackRouter)?.install(label + " below")
    }

    func extend() async {
        await attach(upper, arguments: RackArguments(label: "upper")) {
            ShelfInteractor(presenter: $0.presenter)
        }
    }
}

private enum ShelfApp: App {
    static let id = "shelf"
    static let features: [any Feature.Type] = [Shelf.self, Rack.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting { await makeShelf() }

    @MainActor
    static func makeShelf() async -> any LaunchRouting {
        let view = RemoteView<Shelf>()
        let interactor = ShelfInteractor(presenter: view.presenter)
        let router = ShelfRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router)
        return router
    }
}

@MainActor
@Suite(.serialized) struct DurableSessionTests {
    /// Runs `body` in a durable session, and returns what is said about it at the end.
    private func findings(
        losing states: Set<RestoreDifference> = [],
        _ body: (any ShelfPresentableListener, TestSession, RecordingViews) async throws -> Void
    ) async throws -> String {
        let session = await TestSession.launch(ShelfApp.self, isDurable: true, losing: states)
        return try await findings(of: session, body)
    }

    private func findings(
        of session: TestSession,
        _ body: (any ShelfPresentableListener, TestSession, RecordingViews) async throws -> Void
    ) async throws -> String {
        let views = RecordingViews().record(Shelf.self).record(Rack.self)
        _ = try await session.attach(views)
        try await body(try #require(views.newest(Shelf.self)?.listener), session, views)
        var text = ""
        do {
            try await session.expectQuiescent()
        } catch {
            text = error.description
        }
        await session.end()
        return text
    }

    @Test func `what comes back is not mentioned`() async throws {
        #expect(
            try await findings { shelf, _, _ in
                for book in ["a", "b", "c"] { await shelf.put(book) }
            } == "")
    }

    @Test func `U14: what does not come back is named, with the handler and the values`()
        async throws
    {
        let text = try await findings { shelf, _, _ in
            await shelf.put("a")
            await shelf.look(at: "b")
        }
        #expect(
            text == "the session is not at rest: after shelf look(at:), "
                + "shelf present(looks:) comes back as nothing instead of 1")
    }

    @Test func `what may be lost is not mentioned`() async throws {
        #expect(
            try await findings(losing: ["shelf present(looks:)"]) { shelf, _, _ in
                await shelf.look(at: "b")
            } == "")
    }

    @Test func `what comes back otherwise may be expected so, and only so`() async throws {
        for (value, text) in [
            (nil, ""),
            (
                2,
                "the session is not at rest: after shelf look(at:), shelf present(looks:) comes "
                    + "back as nothing, and was expected as 2"
            ),
        ] as [(Int?, String)] {
            let expected = RestoreDifference("shelf present(looks:)", comesBackAs: value)
            #expect(
                try await findings(losing: [expected]) { shelf, _, _ in
                    await shelf.look(at: "b")
                } == text)
        }
    }

    @Test func `a feature that does not come back may be expected, and all else has to`()
        async throws
    {
        #expect(
            try await findings(losing: ["rack", "shelf present(books:)"]) { shelf, _, _ in
                await shelf.extend()
            } == "")
        let lost = try await findings(losing: ["rack"]) { shelf, _, _ in
            await shelf.install("cellar")
        }
        // It does come back.
        #expect(lost.contains(#"the features ["/shelf"] come back as ["/shelf", "/shelf/lower""#))
        let text = try await findings(losing: ["shelf present(books:)"]) { shelf, _, _ in
            await shelf.extend()
        }
        #expect(text.contains("come back as"))
    }

    @Test func `a tree of one's own is tried, too`() async throws {
        for states in [[], ["shelf present(looks:)"]] as [Set<RestoreDifference>] {
            let session = await TestSession.launch(
                ShelfApp.makeShelf(), features: ShelfApp.features, losing: states
            ) {
                await ShelfApp.makeShelf()
            }
            let text = try await findings(of: session) { shelf, _, _ in await shelf.look(at: "b") }
            #expect(text.contains("present(looks:) comes back as nothing") == states.isEmpty)
        }
    }

    @Test func `a handler that changes something and then waits is named`() async throws {
        let text = try await findings { shelf, session, _ in
            await shelf.put("a")
            #expect(session.handlersThatWaited == [])
            for _ in 1...2 { await shelf.putSlowly("b", and: "c") }
            #expect(session.handlersThatWaited == ["shelf putSlowly(_:and:)"])
        }
        #expect(text == "")
    }

    @Test func `a child that is not attached again is named`() async throws {
        let text = try await findings { shelf, _, _ in await shelf.extend() }
        #expect(
            text.contains(
                #"after shelf extend(), the features ["/shelf", "/shelf/upper"] come back as "#
                    + #"["/shelf"]"#), "\(text)")
    }

    @Test func `children of routes come back, in slots and on stacks`() async throws {
        let text = try await findings { shelf, _, views in
            await shelf.install("cellar")
            let rack = try #require(views.newest(Rack.self))
            #expect(rack.arguments?.label == "cellar below")
            await rack.listener?.put("a")
        }
        #expect(text == "")
    }

    @Test func `a tree that is started again has its states`() async throws {
        let text = try await findings { shelf, session, views in
            await shelf.put("a")
            await session.restart { await ShelfApp.makeRoot(session.context) }
            let listener = try #require(views.newest(Shelf.self)?.listener)
            await listener.put("b")
            let newest = try #require(views.newest(Shelf.self))
            _ = await newest.next { message in
                if case .presentBooks(let books) = message, books == ["a", "b"] {
                    true
                } else {
                    nil
                }
            }
        }
        #expect(text == "")
    }
}
