// CharactersScreenTests: list and card on screens of three sizes, and what their keys send.

import CharactersContract
import NapkinCore
import NapkinFront
import Testing

@testable import CharactersFront
@testable import NapkinElements
@testable import NapkinTerminal

/// Notes what the views send.
@MainActor
final class CharactersDesk: CharacterListPresentableListener, CharacterDetailPresentableListener {
    private(set) var lines: [String] = []
    var refusal: RemoteFault?

    @MainActor func didTapRefresh() async { lines.append("refresh") }
    @MainActor func didTapMore() async { lines.append("more") }
    @MainActor func didSelect(_ id: String) async { lines.append("select \(id)") }
    @MainActor func didTapFavourite(_ id: String) async throws {
        lines.append("favourite \(id)")
        if let refusal { throw refusal }
    }
    @MainActor func didChoose(policy: CachePolicy) async { lines.append("policy \(policy)") }
    @MainActor func didTapBack() async { lines.append("back") }
}

@Suite(.timeLimit(.minutes(10)))
struct CharactersScreenTests {
    private let desk = CharactersDesk()

    private static let rows = [
        CharacterRow(id: "mesquite-mae", name: "Mesquite Mae", role: "pitmaster"),
        CharacterRow(id: "hickory-hank", name: "Hickory Hank", role: "fire keeper"),
        CharacterRow(id: "applewood-ann", name: "Applewood Ann", role: "sausage maker"),
        CharacterRow(id: "cornbread-cal", name: "Cornbread Cal", role: "baker"),
    ]

    private static let loaded = CharacterListModel(rows: rows, total: 20, hasMore: true)

    private static let mae = CharacterCard(
        id: "mesquite-mae", name: "Mesquite Mae", role: "pitmaster", home: "the north pit",
        motto: "Low heat, long patience.",
        story: "Lights the first fire at four and does not speak before the smoke is blue.",
        dishes: ["brisket", "burnt ends"])

    /// A circle with two eyes.
    private static let face = Portrait(
        width: 12, height: 11,
        pixels: (0..<132).map { index in
            let (x, y) = (index % 12, index / 12)
            let (across, down) = (2 * x - 11, 2 * y - 10)
            let isEye = y == 4 && (x == 4 || x == 7)
            return across * across + down * down < 130 && !isEye ? 255 : 0
        })

    @discardableResult
    private func list(_ stage: Stage) -> CharacterListPresenter {
        let presenter = CharacterListPresenter(listener: desk)
        stage.mounted.mount(
            CharacterList.id.rawValue, view: CharacterListScreen(presenter: presenter))
        return presenter
    }

    private func card(_ stage: Stage) -> CharacterDetailPresenter {
        let presenter = CharacterDetailPresenter(listener: desk)
        list(stage)
        stage.mounted.mount(
            CharacterDetail.id.rawValue, in: 1, "push", slot: "detail",
            view: CharacterDetailScreen(name: "Mesquite Mae", presenter: presenter))
        return presenter
    }

    /// Waits until the screen shows `text`, which is drawn on another thread.
    private func seen(_ text: String, _ stage: Stage) async throws {
        while !stage.text.contains(text) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test(arguments: goldenSizes)
    func `the list looks like this`(size: ScreenSize) async throws {
        let stage = Stage(size)
        let golden = Golden("characters-list", size)
        let presenter = list(stage)
        golden.take("Nothing has come yet.", stage)
        await presenter.present(list: Self.loaded)
        golden.take("A page.", stage)
        stage.press(.down)
        golden.take("The next one is selected.", stage)
        var model = Self.loaded
        model.isLoading = true
        model.staleSeconds = 61
        await presenter.present(list: model)
        golden.take("A stale page, and the present is on its way.", stage)
        model.isLoading = false
        model.policy = .remoteFirst
        model.problem = .timeout(seconds: 3)
        await presenter.present(list: model)
        golden.take("It did not come in time.", stage)
        await presenter.present(
            list: CharacterListModel(problem: .offline(server: "127.0.0.1:4110")))
        golden.take("Offline, and nothing is known.", stage)
        await presenter.present(favourites: [Self.rows[3], Self.rows[1]])
        golden.take("Offline, and who is a favourite.", stage)
        await presenter.present(
            list: CharacterListModel(rows: Array(Self.rows.prefix(2)), total: 20))
        golden.take("One of the favourites is on the page.", stage)
        await presenter.present(favourites: [])
        await presenter.present(list: CharacterListModel(policy: .none))
        golden.take("A server that knows nobody.", stage)
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `the card looks like this`(size: ScreenSize) async throws {
        let stage = Stage(size)
        let golden = Golden("characters-card", size)
        let presenter = card(stage)
        golden.take("Nothing has come yet.", stage)
        await presenter.present(detail: CharacterDetailModel(card: Self.mae))
        await presenter.present(portrait: PortraitModel(isLoading: true))
        golden.take("The card is there, the portrait is not.", stage)
        await presenter.present(portrait: PortraitModel(portrait: Self.face, origin: .server))
        try await seen("██", stage)
        golden.take("Both are there.", stage)
        await presenter.present(
            detail: CharacterDetailModel(
                card: Self.mae, staleSeconds: 240,
                problem: .badData(reason: "it is not the JSON that was asked for")))
        await presenter.present(
            portrait: PortraitModel(
                portrait: Self.face, origin: .disk, notKept: "cannot write: disk full"))
        golden.take("Out of the cache, for the server sends garbage.", stage)
        await presenter.present(
            detail: CharacterDetailModel(problem: .notFound(name: "character called zoe")))
        golden.take("Nobody of that name.", stage)
        try golden.check()
    }

    @Test func `keys open, refresh, ask for more and change the policy`() async {
        let stage = Stage()
        let presenter = list(stage)
        // Without a page there is nothing to open, nor more of it.
        stage.press(.character("m"), .character("r"))
        await presenter.present(list: Self.loaded)
        stage.focus("characters")
        stage.press(.enter, .down, .enter, .character("m"), .character("p"))
        #expect(
            desk.lines == [
                "refresh", "select mesquite-mae", "select hickory-hank", "more",
                "policy remoteFirst",
            ])
    }

    @Test func `the selected one is marked, and why it is not is said`() async {
        let stage = Stage()
        let presenter = list(stage)
        stage.press(.character("f"))
        await presenter.present(list: Self.loaded)
        stage.focus("characters")
        stage.press(.down, .character("f"))
        // A favourite that is not on the page comes first.
        await presenter.present(favourites: [CharacterRow(id: "zoe", name: "Zoe", role: "guest")])
        desk.refusal = RemoteFault(.failed, "there are too many")
        stage.press(.home, .character("f"))
        #expect(desk.lines == ["favourite hickory-hank", "favourite zoe"])
        await presenter.present(list: Self.loaded)
        #expect(stage.text.contains("there are too many"))
    }

    @Test func `a card goes back, and is refreshed`() async {
        let stage = Stage()
        _ = card(stage)
        stage.press(.character("r"), .character("b"))
        #expect(desk.lines == ["refresh", "back"])
    }

    @Test func `a portrait is drawn once it is known, and again when it is another`() async throws {
        let stage = Stage()
        let presenter = card(stage)
        await presenter.present(detail: CharacterDetailModel(card: Self.mae))
        await presenter.present(portrait: PortraitModel(portrait: Self.face))
        try await seen("▀▀▀▀▀▀", stage)
        let dark = Portrait(width: 2, height: 2, pixels: [255, 0, 0, 255])
        await presenter.present(portrait: PortraitModel(portrait: dark))
        try await seen("▀▄", stage)
        let broken = Portrait(width: 2, height: 2, pixels: [1])
        await presenter.present(portrait: PortraitModel(portrait: broken))
        try await seen("no picture", stage)
        #expect(!stage.text.contains("▀▄"))
    }

    @Test func `as plain text a portrait is named, and not drawn`() async {
        let stage = Stage()
        let presenter = card(stage)
        await presenter.present(detail: CharacterDetailModel(card: Self.mae))
        await presenter.present(portrait: PortraitModel(portrait: Self.face))
        let lines = PageComposer(send: { _, _, _ in }, redraw: {})
            .compose(stage.mounted.tree.root, width: 80, height: 24, isLinear: true).text
        #expect(lines.contains("[portrait, 12 × 11]"))
    }

    @Test(arguments: [
        (Problem.offline(server: "10.0.0.1:80"), "Offline: nobody answers at 10.0.0.1:80"),
        (.notFound(name: "page 9"), "Not found: the server has no page 9"),
        (.badData(reason: "ash"), "Bad data: the server's answer cannot be used (ash)"),
        (.timeout(seconds: 3), "Too slow: the server has not answered in 3 s"),
        (.settings(reason: "no HOME"), "The worker cannot use its settings: no HOME"),
    ])
    func `each problem has words of its own`(problem: Problem, words: String) {
        #expect(Wording.text(problem).hasPrefix(words))
    }
}
