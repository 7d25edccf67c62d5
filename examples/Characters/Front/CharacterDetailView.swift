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
    @Presented private var detail: CharacterDetailModel = .init(isLoading: true)
    @Presented private var portrait: PortraitModel = .init()

    init(name: String, listener: any CharacterDetailPresentableListener) {
        self.name = name
        self.listener = listener
    }

    // MARK: - ElementView

    /// The least width for the portrait beside the card, in cells. Chosen: room for a sentence.
    private static let columnsFrom = 60

    var title: String? { name }

    var body: Elements {
        Heading(name)
        if let problem = detail.problem { Text(Wording.text(problem)).foregroundStyle(.error) }
        if let seconds = detail.staleSeconds {
            Text(Wording.text(staleSeconds: seconds)).foregroundStyle(.warning)
        }
        if detail.isLoading { Text("loading …").foregroundStyle(.secondary) }
        if let card = detail.card {
            HStack(spacing: 2, stackedBelow: Self.columnsFrom) {
                picture.frame(width: PortraitArt.cellsMax)
                words(of: card).frame(maxWidth: .infinity)
            }
        }
        Flow {
            Button("Refresh") { [listener] in dispatch { await listener.didTapRefresh() } }
                .keyboardShortcut("r")
            Button("Back", role: .cancel) { [listener] in dispatch { await listener.didTapBack() } }
                .keyboardShortcut("b")
        }
        .padding(.top)
    }

    @ElementBuilder private func words(of card: CharacterCard) -> Elements {
        Text(card.role).foregroundStyle(.accent)
            + Text(" · \(card.home)").foregroundStyle(.secondary)
        Text("“\(card.motto)”")
        Text(card.story).padding(.top)
        if !card.dishes.isEmpty {
            (Text("Known for  ").foregroundStyle(.secondary)
                + Text(card.dishes.joined(separator: ", "))).padding(.top)
        }
    }

    @ElementBuilder private var picture: Elements {
        if let pixels = portrait.portrait { PortraitArt(portrait: pixels) }
        if portrait.isLoading { Text("portrait: loading …").foregroundStyle(.secondary) }
        if let problem = portrait.problem {
            Text("portrait: \(Wording.text(problem))").foregroundStyle(.error)
        }
        if let origin = portrait.origin {
            Text("from the \(origin.rawValue)").foregroundStyle(.secondary)
        }
        if let reason = portrait.notKept { Text("not kept: \(reason)").foregroundStyle(.warning) }
    }
}
