// CharacterDetailScreen: a card, with its portrait beside it if there is room.

import CharactersContract
import NapkinCore
import NapkinElements

@Observable
final class CharacterDetailPresenter: CharacterDetailPresentable {
    let listener: any CharacterDetailPresentableListener
    @Presented private(set) var detail: CharacterDetailModel = .init(isLoading: true)
    @Presented private(set) var portrait: PortraitModel = .init()

    init(listener: any CharacterDetailPresentableListener) { self.listener = listener }
}

struct CharacterDetailScreen: View {
    /// The least width for the portrait beside the card, in cells. Chosen: room for a sentence.
    private static let columnsFrom = 60
    let name: String
    let presenter: CharacterDetailPresenter
    private var detail: CharacterDetailModel { presenter.detail }

    var body: some View {
        VStack {
            if let problem = detail.problem { Text(Wording.text(problem)).foregroundStyle(.error) }
            if let seconds = detail.staleSeconds {
                Text(Wording.text(staleSeconds: seconds)).foregroundStyle(.warning)
            }
            if detail.isLoading { Text("loading …").foregroundStyle(.secondary) }
        }
        .navigationTitle(name)
        if let card = detail.card {
            HStack(spacing: 2, stackedBelow: Self.columnsFrom) {
                VStack { picture(presenter.portrait) }.frame(width: PortraitView.cellsMax)
                VStack { words(of: card) }.frame(maxWidth: .infinity)
            }
        }
        Flow {
            Button("Refresh") { dispatch { await presenter.listener.didTapRefresh() } }
                .keyboardShortcut("r")
            Button("Back", role: .cancel) { dispatch { await presenter.listener.didTapBack() } }
                .keyboardShortcut("b")
        }
        .padding(.top)
    }

    @ViewBuilder private func words(of card: CharacterCard) -> some View {
        Text(card.role).foregroundStyle(.accent)
            + Text(" · \(card.home)").foregroundStyle(.secondary)
        Text("“\(card.motto)”")
        Text(card.story).padding(.top)
        if !card.dishes.isEmpty {
            (Text("Known for  ").foregroundStyle(.secondary)
                + Text(card.dishes.joined(separator: ", "))).padding(.top)
        }
    }

    @ViewBuilder private func picture(_ model: PortraitModel) -> some View {
        if let portrait = model.portrait { PortraitView(portrait: portrait) }
        if model.isLoading { Text("portrait: loading …").foregroundStyle(.secondary) }
        if let problem = model.problem {
            Text("portrait: \(Wording.text(problem))").foregroundStyle(.error)
        }
        if let origin = model.origin {
            Text("from the \(origin.rawValue)").foregroundStyle(.secondary)
        }
        if let reason = model.notKept { Text("not kept: \(reason)").foregroundStyle(.warning) }
    }
}
