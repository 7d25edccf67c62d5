// CharacterListView: the list as far as it has been loaded, and what is wrong with the rest.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.
// Ownership  keeps the presented values, and the selection.

import CharactersContract
import NapkinCore
import NapkinFront
import NapkinTerminal

final class CharacterListView: CharacterListPresentable, ElementView {
    let redraw = Redraw()
    private let listener: any CharacterListPresentableListener
    private var model = CharacterListModel(isLoading: true)
    private let rows = ListModel()
    /// Whether the list is to receive the focus as soon as there is one.
    private var wantsList = true

    init(listener: any CharacterListPresentableListener) {
        self.listener = listener
    }

    // MARK: - CharacterListPresentable

    func present(list: CharacterListModel) async {
        model = list
        invalidate()
    }

    // MARK: - A person's actions

    private func open(_ index: Int) {
        guard model.rows.indices.contains(index) else { return }
        let id = model.rows[index].id
        dispatch { [listener] in await listener.didSelect(id) }
    }

    private func refresh() {
        dispatch { [listener] in await listener.didTapRefresh() }
    }

    private func more() {
        dispatch { [listener] in await listener.didTapMore() }
    }

    private func changePolicy() {
        let policy = Wording.next(model.policy)
        dispatch { [listener] in await listener.didChoose(policy: policy) }
    }

    // MARK: - ElementView

    var title: String? { "Characters" }

    var body: Elements {
        Heading("CHARACTERS")
        Text(status)
        if let problem = model.problem {
            Text(Wording.text(problem), .error, wraps: true)
        }
        if let seconds = model.staleSeconds {
            Text(Wording.text(staleSeconds: seconds), .warning, wraps: true)
        }
        if !model.rows.isEmpty {
            List(
                model.rows.map(Self.line), model: rows, id: "characters",
                choose: { [weak self] in self?.open($0) },
                claim: wantsList ? { [weak self] in self?.wantsList = false } : nil)
        } else if !model.isLoading, model.problem == nil {
            Text("The server knows nobody.", .dim)
        }
        Space()
        Flow {
            Button("Refresh", key: .character("r")) { [weak self] in self?.refresh() }
            if model.hasMore {
                Button("More", key: .character("m")) { [weak self] in self?.more() }
            }
            Button("Policy: \(Wording.text(model.policy))", key: .character("p")) { [weak self] in
                self?.changePolicy()
            }
        }
    }

    /// The status line: `8 of 23 · loading …`.
    private var status: StyledLine {
        var parts: [String] = []
        if model.total > 0 { parts.append("\(model.rows.count) of \(model.total)") }
        if model.isLoading { parts.append("loading …") }
        return StyledLine(parts.joined(separator: " · "), .dim)
    }

    private static func line(_ row: CharacterRow) -> StyledLine {
        StyledLine("\(row.name)  ") + StyledLine(row.role, .dim)
    }
}
