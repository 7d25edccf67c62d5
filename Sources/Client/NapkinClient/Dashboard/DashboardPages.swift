// DashboardPages: the tables of sessions and fronts and the pages about one session.

import NapkinElements
import NapkinProtocol

struct SessionTable: View {
    private static let columns = [
        TableColumn("SESSION"), TableColumn("STATE"),
        TableColumn("NODES", .trailing, isOptional: true),
        TableColumn("WORKER RSS", .trailing, isOptional: true),
        TableColumn("AGE", .trailing, isOptional: true),
    ]

    let model: Dashboard
    @State private var sort: TableSort?
    @FocusState private var isFocused: Bool

    var body: some View {
        let entries = sorted
        NapkinElements.Table(
            Self.columns, rows: entries.map(cells), selection: selection(entries),
            sortOrder: $sort
        ) {
            model.choose(entries[$0])
        }
        .id("sessions").focused($isFocused).onAppear { isFocused = true }
    }

    private func cells(_ entry: SessionList.Entry) -> [String] {
        // Once sorted, sessions leave their app's group, so both names are shown.
        let name = sort == nil ? entry.name : entry.id
        guard let info = entry.info, info.isStored != true, info.silence == nil || info.nodes > 0
        else { return [name, entry.state] }
        return [
            name, entry.state, "\(info.nodes)", info.workerBytes.map(Quantity.bytes) ?? "-",
            Quantity.age(info.ageSeconds),
        ]
    }

    private var sorted: [SessionList.Entry] {
        guard let sort else { return model.list.entries }
        let inOrder = model.list.entries.sorted { first, second in
            switch sort.column {
            case 0: first.id < second.id
            case 1: (first.state, first.id) < (second.state, second.id)
            case 2: (first.info?.nodes ?? -1, first.id) < (second.info?.nodes ?? -1, second.id)
            case 3:
                (first.info?.workerBytes ?? -1, first.id)
                    < (second.info?.workerBytes ?? -1, second.id)
            default:
                (first.info?.ageSeconds ?? -1, first.id)
                    < (second.info?.ageSeconds ?? -1, second.id)
            }
        }
        return sort.order == .forward ? inOrder : inOrder.reversed()
    }

    /// Selects by session, so that the selection stays when others are inserted above it.
    private func selection(_ entries: [SessionList.Entry]) -> Binding<Int?> {
        Binding(
            get: { entries.firstIndex { $0.id == model.selection } },
            set: { model.selection = $0.map { entries[$0].id } })
    }
}

struct FrontTable: View {
    private static let columns = [
        TableColumn("SESSION"), TableColumn("FRONT", .trailing), TableColumn("STATE"),
        TableColumn("IDLE", .trailing, isOptional: true), TableColumn("USER", isOptional: true),
        TableColumn("CLIENT", isOptional: true), TableColumn("PID", .trailing, isOptional: true),
    ]

    let model: Dashboard
    @FocusState private var isFocused: Bool

    var body: some View {
        let fronts = model.fronts
        NapkinElements.Table(
            Self.columns, rows: fronts.map(cells),
            selection: Binding(
                get: { fronts.firstIndex { $0.id == model.front } },
                set: { model.front = $0.map { fronts[$0].id } })
        )
        .id("fronts").focused($isFocused).onAppear { isFocused = true }
    }

    private func cells(_ front: Dashboard.Front) -> [String] {
        let listing = front.listing
        return [
            front.session, "\(listing.front)", listing.state.rawValue,
            Quantity.age(listing.idleSeconds), listing.user, listing.client, "\(listing.pid)",
        ]
    }
}

/// The live tree of a session, with recent changes highlighted.
struct TreePage: View {
    let model: Dashboard
    @FocusState private var isFocused: Bool

    var body: some View {
        List(Array(model.tree.enumerated()), id: \.offset) { index, line in
            let text = Text(line)
            return model.changed.contains(index) ? text.foregroundStyle(.accent) : text
        }
        .id("tree").focused($isFocused).onAppear { isFocused = true }
        .task(id: model.subjects) { await model.watchTrees(of: model.subjects) }
    }
}

/// A session's messages as they pass, all of them or a selection.
struct TracePage: View {
    let model: Dashboard
    @State private var isFiltering = false
    @FocusState private var isFocused: Bool

    var body: some View {
        VStack {
            if model.trace.isEmpty {
                Text("Nothing has passed yet.")
            } else if model.trace.lines.isEmpty {
                Text("Nothing of what has passed is of that kind.")
            }
            Log(model.trace.lines, from: model.trace.first).id("trace")
            if isFiltering {
                filter
            } else if model.traceFilter != TraceFilter() {
                Text("Only \(model.traceFilter)").foregroundStyle(.secondary)
            }
        }
        .keyBindings([KeyBinding("f", "Filter") { (isFiltering, isFocused) = (true, true) }])
        .task(id: model.selected?.id) {
            if let entry = model.selected { await model.watchTrace(of: entry) }
        }
    }

    private var filter: some View {
        Flow {
            TextField("feature, method or value", text: Binding(model, \.traceFilter.words))
                .focused($isFocused).id("filter").onSubmit { isFiltering = false }
            Picker(
                "direction", selection: Binding(model, \.traceFilter.direction),
                options: TraceFilter.Direction.allCases
            ) { $0.rawValue }
        }
        .keyBindings([
            KeyBinding(.escape, "All", role: .cancel) {
                (isFiltering, model.traceFilter) = (false, TraceFilter())
            }
        ])
    }
}

/// The output of an app's workers.
struct LogPage: View {
    let model: Dashboard

    var body: some View {
        Log(model.log.lines, from: model.log.first).id("log")
            .task(id: model.selected?.app) {
                if let entry = model.selected { await model.watchLog(of: entry) }
            }
    }
}
