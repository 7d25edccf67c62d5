// CharacterListView: the list as far as it has been loaded, and what is wrong with the rest.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.
// Ownership  keeps the presented values, and the selection.

import CharactersContract
import NapkinCore
import NapkinFront
import NapkinTerminal
import Observation

@Observable
final class CharacterListView: CharacterListPresentable, ElementView, RefusalShowing {
    let listener: any CharacterListPresentableListener
    @Presented private var list: CharacterListModel = .init(isLoading: true)
    @Presented private var favourites: [CharacterRow] = []
    /// Why this front's last event was refused.
    var refusal: String?
    private let rows = ListModel()
    /// The list receives the focus as soon as there is one.
    private var isListFocused = true

    init(listener: any CharacterListPresentableListener) {
        self.listener = listener
    }

    /// The favourites that are not among the loaded rows, then the rows.
    private var shown: [CharacterRow] {
        let loaded = Set(list.rows.map(\.id))
        return favourites.filter { !loaded.contains($0.id) } + list.rows
    }

    // MARK: - A person's actions

    private func open(_ index: Int) {
        let shown = shown
        guard shown.indices.contains(index) else { return }
        let id = shown[index].id
        dispatch { await $0.didSelect(id) }
    }

    private func mark(_ index: Int) {
        let shown = shown
        guard shown.indices.contains(index) else { return }
        let id = shown[index].id
        dispatch { try await $0.didTapFavourite(id) }
    }

    private func refresh() {
        dispatch { await $0.didTapRefresh() }
    }

    private func more() {
        dispatch { await $0.didTapMore() }
    }

    private func changePolicy() {
        let policy = Wording.next(list.policy)
        dispatch { await $0.didChoose(policy: policy) }
    }

    // MARK: - ElementView

    var title: String? { "Characters" }

    var body: Elements {
        Heading("CHARACTERS")
        status
        if let problem = list.problem {
            Text(Wording.text(problem)).foregroundStyle(.error)
        }
        if let refusal { Text(refusal).foregroundStyle(.error) }
        if let seconds = list.staleSeconds {
            Text(Wording.text(staleSeconds: seconds)).foregroundStyle(.warning)
        }
        if !shown.isEmpty {
            List(shown, selection: rows, row: line) { self.open($0) }
                .id("characters").focused(Binding(self, \.isListFocused))
        } else if !list.isLoading, list.problem == nil {
            Text("The server knows nobody.").foregroundStyle(.secondary)
        }
        Flow {
            Button("Refresh") { self.refresh() }.keyboardShortcut("r")
            if list.hasMore {
                Button("More") { self.more() }.keyboardShortcut("m")
            }
            if !shown.isEmpty {
                Button("Favourite") { self.mark(self.rows.selection) }.keyboardShortcut("f")
            }
            Button("Policy: \(Wording.text(list.policy))") { self.changePolicy() }
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
        let mark = favourites.contains { $0.id == row.id } ? "★ " : ""
        return Text(mark).foregroundStyle(.accent) + Text("\(row.name)  ")
            + Text(row.role).foregroundStyle(.secondary)
    }
}
