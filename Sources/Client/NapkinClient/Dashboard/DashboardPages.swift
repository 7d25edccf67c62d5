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
        Table(
            Self.columns, rows: entries.map(cells),
            selection: Binding(of: entries, model, \.selection), sortOrder: $sort
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
        func key(_ entry: SessionList.Entry) -> (String, Int, String) {
            let info = entry.info
            return switch sort.column {
            case 0: ("", 0, entry.id)
            case 1: (entry.state, 0, entry.id)
            case 2: ("", info?.nodes ?? -1, entry.id)
            case 3: ("", info?.workerBytes ?? -1, entry.id)
            default: ("", info?.ageSeconds ?? -1, entry.id)
            }
        }
        let inOrder = model.list.entries.sorted { key($0) < key($1) }
        return sort.order == .forward ? inOrder : inOrder.reversed()
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
        Table(
            Self.columns, rows: fronts.map(cells),
            selection: Binding(of: fronts, model, \.front)
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

extension Binding where Value == Int? {
    /// Selects a row by its id, so that the selection stays when others are inserted above it.
    @MainActor
    init<Row: Identifiable>(
        of rows: [Row], _ model: Dashboard, _ id: ReferenceWritableKeyPath<Dashboard, Row.ID?>
    ) {
        self.init(
            get: { rows.firstIndex { $0.id == model[keyPath: id] } },
            set: { model[keyPath: id] = $0.map { rows[$0].id } })
    }
}
