// DurableTabTests: tabs of a session that goes on in another tree.

import NapkinCore
import NapkinTesting
import Testing

private enum Album: Feature {
    static let id: FeatureID = "album"
}

private enum Sheet: Feature {
    static let id: FeatureID = "sheet"
}

@Durable
private final actor SheetInteractor: Interactable {
    @Message fileprivate struct State: DurableState {
        var marks: Int = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    fileprivate var state = State()

    func mark() { state.marks += 1 }
}

private final class AlbumRouter: LaunchRouter<SheetInteractor, Album> {
    let tabs = ChildTabs()
    let first = ChildSlot<Sheet>("first")
    let second = ChildSlot<Sheet>("second")
    let third = ChildSlot<Sheet>("third")

    convenience init() {
        self.init(interactor: SheetInteractor(), view: RemoteView(), listener: ())
    }

    override func didLoad() async {
        await open(tabs, [first, second, third].map { Tab($0) { _ in AlbumRouter.sheet() } })
    }

    private static func sheet() -> any Routing {
        Router<SheetInteractor>(interactor: SheetInteractor())
    }

    func marks(in slot: ChildSlot<Sheet>) async -> Int? {
        await (slot.child?.interactable as? SheetInteractor)?.state.marks
    }
}

private enum AlbumApp: App {
    static let id = "album"
    static let features: [any Feature.Type] = [Album.self, Sheet.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting { AlbumRouter() }
}

@MainActor
@Suite(.serialized) struct DurableTabTests {
    @Test func `the selected tab and those that had been selected come back`() async throws {
        let session = await TestSession.launch(AlbumApp.self, isDurable: true)
        let album = try #require(session.root as? AlbumRouter)
        await album.select(album.third, in: album.tabs)
        await album.select(album.second, in: album.tabs)
        await (album.third.child?.interactable as? SheetInteractor)?.mark()
        try await session.expectQuiescent()
        await session.restart { AlbumRouter() }
        let next = try #require(session.root as? AlbumRouter)
        #expect(next !== album && next.tabs.selected == "second")
        #expect(next.second.isOccupied)
        #expect(await next.marks(in: next.third) == 1)
        await session.end()
    }

    @Test func `a new session begins with the first tab, and attaches no other`() async throws {
        let session = await TestSession.launch(AlbumApp.self, isDurable: true)
        let album = try #require(session.root as? AlbumRouter)
        #expect(album.tabs.selected == "first" && !album.third.isOccupied)
        await session.restart { AlbumRouter() }
        let next = try #require(session.root as? AlbumRouter)
        #expect(next.tabs.selected == "first" && !next.third.isOccupied)
        await session.end()
    }
}
