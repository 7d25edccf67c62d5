// CharacterListScreen: the list as far as it has been loaded, and what is wrong with the rest.

import CharactersContract
import NapkinCore
import NapkinElements

@Observable
final class CharacterListPresenter: CharacterListPresentable, RefusalShowing {
    let listener: any CharacterListPresentableListener
    @Presented private(set) var list: CharacterListModel = .init(isLoading: true)
    @Presented private(set) var favourites: [CharacterRow] = []
    /// Why this front's last event was refused.
    var refusal: String?

    init(listener: any CharacterListPresentableListener) { self.listener = listener }

    /// The favourites that are not among the loaded rows, then the rows.
    var rows: [CharacterRow] {
        let loaded = Set(list.rows.map(\.id))
        return favourites.filter { !loaded.contains($0.id) } + list.rows
    }
}

struct CharacterListScreen: View {
    let presenter: CharacterListPresenter
    @State private var selected: CharacterRow.ID?
    @FocusState private var isListFocused: Bool
    private var list: CharacterListModel { presenter.list }

    var body: some View {
        // As soon as there is a list.
        status.navigationTitle("Characters").defaultFocus($isListFocused, true)
        if let problem = list.problem { Text(Wording.text(problem)).foregroundStyle(.error) }
        if let refusal = presenter.refusal { Text(refusal).foregroundStyle(.error) }
        if let seconds = list.staleSeconds {
            Text(Wording.text(staleSeconds: seconds)).foregroundStyle(.warning)
        }
        if !presenter.rows.isEmpty {
            List(presenter.rows, selection: $selected, row: line) { row in
                presenter.dispatch { await $0.didSelect(row.id) }
            }
            .id("characters").focused($isListFocused)
        } else if !list.isLoading, list.problem == nil {
            Text("There are no characters.").foregroundStyle(.secondary)
        }
        Flow {
            Button("Refresh") { presenter.dispatch { await $0.didTapRefresh() } }
                .keyboardShortcut("r")
            if list.hasMore {
                Button("More") { presenter.dispatch { await $0.didTapMore() } }
                    .keyboardShortcut("m")
            }
            if let selected, !presenter.rows.isEmpty {
                Button("Favourite") {
                    presenter.dispatch { try await $0.didTapFavourite(selected) }
                }
                .keyboardShortcut("f")
            }
            Button("Policy: \(Wording.text(list.policy))") {
                let next = Wording.next(list.policy)
                presenter.dispatch { await $0.didChoose(policy: next) }
            }
            .keyboardShortcut("p")
        }
        .padding(.top)
    }

    /// The status line: `8 of 23 · loading …`.
    private var status: Text {
        var parts: [String] = []
        if list.total > 0 { parts.append("\(list.rows.count) of \(list.total)") }
        if list.isLoading { parts.append("loading …") }
        return Text(parts.joined(separator: " · ")).foregroundStyle(.secondary)
    }

    private func line(_ row: CharacterRow) -> Text {
        let mark = presenter.favourites.contains { $0.id == row.id } ? "★ " : ""
        return Text(mark).foregroundStyle(.accent) + Text("\(row.name)  ")
            + Text(row.role).foregroundStyle(.secondary)
    }
}
