// CharacterDetailView: a card, with its portrait beside it if there is room.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import CharactersContract
import NapkinCore
import NapkinFront
import NapkinTerminal
import Observation

@Observable
final class CharacterDetailView: CharacterDetailPresentable, ElementView {
    private let name: String
    private let listener: any CharacterDetailPresentableListener
    private var model = CharacterDetailModel(isLoading: true)
    private var portrait = PortraitModel()

    init(name: String, listener: any CharacterDetailPresentableListener) {
        self.name = name
        self.listener = listener
    }

    // MARK: - CharacterDetailPresentable

    func present(detail: CharacterDetailModel) async { model = detail }
    func present(portrait: PortraitModel) async { self.portrait = portrait }

    // MARK: - ElementView

    /// The least width for the portrait beside the card, in cells. Chosen: room for a sentence.
    private static let columnsFrom = 60

    var title: String? { name }

    var body: Elements {
        Heading(name)
        if let problem = model.problem { Text(Wording.text(problem), .error, wraps: true) }
        if let seconds = model.staleSeconds {
            Text(Wording.text(staleSeconds: seconds), .warning, wraps: true)
        }
        if model.isLoading { Text("loading …", .dim) }
        if let card = model.card {
            Row(spacing: 2, columnBelow: Self.columnsFrom) {
                Elements([picture]).width(.cells(PortraitArt.cellsMax))
                Elements([words(of: card)]).width(.share)
            }
        }
        Space()
        Flow {
            Button("Refresh", key: .character("r")) { [weak self] in
                dispatch { await self?.listener.didTapRefresh() }
            }
            Button("Back", key: .character("b"), role: .back) { [weak self] in
                dispatch { await self?.listener.didTapBack() }
            }
        }
    }

    @ElementBuilder private func words(of card: CharacterCard) -> Elements {
        Text(StyledLine(card.role, .accent) + StyledLine(" · \(card.home)", .dim), wraps: true)
        Text("“\(card.motto)”", wraps: true)
        Gap()
        Text(card.story, wraps: true)
        Gap()
        if !card.dishes.isEmpty {
            Text(
                StyledLine("Known for  ", .dim)
                    + StyledLine(card.dishes.joined(separator: ", ")), wraps: true)
        }
    }

    @ElementBuilder private var picture: Elements {
        if let pixels = portrait.portrait { PortraitArt(portrait: pixels) }
        if portrait.isLoading { Text("portrait: loading …", .dim, wraps: true) }
        if let problem = portrait.problem {
            Text("portrait: \(Wording.text(problem))", .error, wraps: true)
        }
        if let origin = portrait.origin {
            Text("from the \(origin.rawValue)", .dim, wraps: true)
        }
        if let reason = portrait.notKept { Text("not kept: \(reason)", .warning, wraps: true) }
    }
}
