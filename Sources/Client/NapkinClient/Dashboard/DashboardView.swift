// DashboardView: the dashboard's pages on a screen, their keys and their questions.

import NapkinElements
import NapkinProtocol

struct DashboardView: View {
    /// The question before an action that cannot be undone.
    private enum Question: Equatable {
        case kill(session: String)
        case detach(session: String, front: UInt64?)
        case restart(app: String, ending: Int)
    }

    /// The purpose of a typed name.
    private enum Naming: Equatable {
        case rename(session: String)
        case new(app: String)
        case slow(SessionList.Entry)
    }

    let model: Dashboard
    @State private var question: Question?
    @State private var naming: Naming?
    @State private var name = ""

    var body: some View {
        TabView(selection: Binding(model, \.page)) {
            Tab(Dashboard.Page.sessions.rawValue, value: .sessions) { sessions }
            Tab(Dashboard.Page.fronts.rawValue, value: .fronts) { fronts }
            Tab(Dashboard.Page.tree.rawValue, value: .tree) { look { TreePage(model: model) } }
            Tab(Dashboard.Page.calls.rawValue, value: .calls) { look { CallsPage(model: model) } }
            Tab(Dashboard.Page.trace.rawValue, value: .trace) { look { TracePage(model: model) } }
            Tab(Dashboard.Page.log.rawValue, value: .log) { look { LogPage(model: model) } }
            Tab(Dashboard.Page.ledger.rawValue, value: .ledger) {
                look { LedgerPage(model: model) }
            }
        }
        .task { await model.watchSessions() }
        .keyBindings(pages)
        // The dialog, and with it the question, is gone by the time its button acts.
        .confirmationDialog(title, isPresented: isAsking) { [question] in
            // The button that changes nothing comes first: Enter may already have been pressed.
            Button("No") {}.keyboardShortcut("n")
            Button("Yes") { confirm(question) }.keyboardShortcut("y")
        } message: {
            Text(message)
        }
        .sheet(namingTitle, isPresented: isNaming) {
            TextField(namingHint, text: $name).onSubmit { finishNaming() }
            Flow {
                Button("OK") { finishNaming() }
                Button("Cancel", role: .cancel) { naming = nil }.keyboardShortcut(.escape)
            }
            .padding(.top)
        }
    }

    /// The number keys of the pages, which the line of keys has no room for.
    private var pages: [KeyBinding] {
        Dashboard.Page.allCases.enumerated().map { index, page in
            let key = Key.character(Character("\(index + 1)"))
            return KeyBinding(key, page.rawValue, isNamed: false) { model.page = page }
        }
    }

    // MARK: - Pages

    private var sessions: some View {
        Group {
            if !model.isLoaded {
                Text("Asking napkind…")
            } else if model.list.entries.isEmpty {
                Text("No app is installed here: \(SessionList.firstApp).")
            }
            SessionTable(model: model)
            problem
        }
        .keyBindings(sessionKeys)
    }

    /// The problem of the selected line.
    @ViewBuilder private var problem: some View {
        if let problem = model.selected?.problem { Text(problem).foregroundStyle(.warning) }
    }

    private var fronts: some View {
        Group {
            if model.fronts.isEmpty { Text("No front is attached.").foregroundStyle(.secondary) }
            FrontTable(model: model)
        }
        .keyBindings(model.isReadOnly ? [] : [detach])
    }

    private var detach: KeyBinding {
        KeyBinding("d", "Detach") {
            guard let front = model.front ?? model.fronts.first?.id else { return }
            question = .detach(session: front.session, front: front.front)
        }
    }

    /// A page about the selected session, below its name.
    private func look(@ViewBuilder _ content: @escaping () -> some View) -> some View {
        VStack {
            Text(heading).foregroundStyle(.secondary)
            problem
            content()
        }
        .keyBindings(sessionKeys)
    }

    private var canLookAtAll: Bool { model.page == .tree || model.page == .calls }

    private var heading: String {
        guard let entry = model.selected else { return "No session is selected." }
        let isOfAll = canLookAtAll && model.looksAtAll
        return "\(model.page.rawValue) of \(isOfAll ? "all sessions" : entry.sessionName)"
    }

    private var sessionKeys: [KeyBinding] {
        guard let entry = model.selected else { return [] }
        let attach = KeyBinding(
            model.page == .sessions ? .enter : "a", "Attach"
        ) { model.choose(entry) }
        let new = KeyBinding("c", "New") { begin(.new(app: entry.app)) }
        let restart = KeyBinding("r", "Restart") {
            question = .restart(app: entry.app, ending: model.endingSessions(of: entry.app))
        }
        let all = KeyBinding("*", model.looksAtAll ? "Only \(entry.sessionName)" : "All") {
            model.looksAtAll.toggle()
        }
        let slow = KeyBinding("w", "Slow page") { begin(.slow(entry)) }
        let look =
            (canLookAtAll ? [all] : []) + [attach] + (model.attachSlowly == nil ? [] : [slow])
        guard !model.isReadOnly else { return look }
        let first = look + [new]
        guard let info = entry.info else { return first + [restart] }
        let session = info.session
        return first + [
            KeyBinding("e", "Rename") { begin(.rename(session: session)) },
            KeyBinding("d", "Detach") { question = .detach(session: session, front: nil) },
            KeyBinding("x", "Kill") { question = .kill(session: session) },
            restart,
        ]
    }

    // MARK: - Questions

    private var isAsking: Binding<Bool> {
        Binding(get: { question != nil }, set: { if !$0 { question = nil } })
    }

    private var title: String {
        switch question {
        case .kill(let session): "Kill \(session)"
        case .detach(let session, nil): "Detach all fronts of \(session)"
        case .detach(let session, let front?): "Detach front \(front) of \(session)"
        case .restart(let app, _): "Restart \(app)"
        case nil: ""
        }
    }

    private var message: String {
        switch question {
        case .kill: "The session ends, with everything in it, and its fronts leave."
        case .detach: "It is told, and leaves. The session goes on."
        case .restart(_, 0): "Its workers end, and others start. All sessions come back."
        case .restart(_, let ending):
            "Its workers end, and others start. \(ending) of its sessions are not durable: what "
                + "they hold is lost."
        case nil: ""
        }
    }

    private func confirm(_ question: Question?) {
        switch question {
        case .kill(let session): model.kill(session)
        case .detach(let session, let front): model.detach(session, front: front)
        case .restart(let app, let ending): model.restart(app, force: ending > 0)
        case nil: break
        }
    }

    // MARK: - Names

    private var isNaming: Binding<Bool> {
        Binding(get: { naming != nil }, set: { if !$0 { naming = nil } })
    }

    private var namingTitle: String {
        switch naming {
        case .rename(let session): "New name of \(session)"
        case .new(let app): "Name of a new session of \(app)"
        case .slow(let entry): "How slow a page of \(entry.sessionName) is to seem"
        case nil: ""
        }
    }

    private var namingHint: String {
        if case .slow = naming { return "ms each way, percent lost: 200 5" }
        return "letters, digits and -_.+@"
    }

    private func begin(_ naming: Naming) {
        if case .rename(let session) = naming { name = session } else { name = "" }
        self.naming = naming
    }

    private func finishNaming() {
        guard let naming, !name.isEmpty else { return }
        if case .slow(let entry) = naming {
            if model.attachSlowly?(entry, name) ?? true { self.naming = nil }
            return
        }
        self.naming = nil
        switch naming {
        case .rename(let session):
            // If it is refused, the dialog opens again, with the name still in its field.
            model.rename(session, to: name) { self.naming = naming }
        case .new(let app):
            model.attach(SessionList.Entry(app: app, session: name, state: "new", info: nil))
        case .slow: break
        }
    }
}
