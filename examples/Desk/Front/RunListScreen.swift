// RunListScreen: the runs that a person wants to see.

import DeskContract
import NapkinCore
import NapkinElements

@Observable
final class RunListModel: RunListPresentable {
    let listener: any RunListPresentableListener
    @Presented private(set) var runs: [Run] = []
    @Presented private(set) var filter: RunFilter = .init()

    init(listener: any RunListPresentableListener) { self.listener = listener }

    func update(_ change: (inout RunFilter) -> Void) {
        var next = filter
        change(&next)
        dispatch { [listener, next] in await listener.didFilter(next) }
    }
}

struct RunListScreen: View {
    let model: RunListModel
    @State private var words = ""

    var body: some View {
        if model.runs.isEmpty {
            Text(model.filter == RunFilter() ? "Nothing has been run yet." : "No run is like this.")
                .foregroundStyle(.secondary)
        } else {
            List(model.runs) {
                $0.line
            } primaryAction: { run in
                dispatch { await model.listener.didSelect(run.id) }
            }
            .id("runs")
        }
        // Below the list, which has the focus first.
        if !model.runs.isEmpty || model.filter != RunFilter() {
            HStack {
                Picker(
                    "show", selection: Binding(get: { model.filter.shows }, set: show),
                    options: RunFilter.Kind.allCases, name: { $0.rawValue })
                TextField("search; Enter filters", text: $words)
                    .onSubmit { model.update { $0.words = words } }.id("search")
            }
            .onChange(of: model.filter.words, initial: true) { words = model.filter.words }
        }
    }

    private func show(_ kind: RunFilter.Kind) { model.update { $0.shows = kind } }
}
