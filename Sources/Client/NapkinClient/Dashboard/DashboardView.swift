// DashboardView: the dashboard's pages on a screen, their keys and their questions.

import NapkinElements
import NapkinProtocol

struct DashboardView: View {
    /// The question before an action that cannot be undone.
    private struct Question {
        let title: String
        let message: String
        let confirm: () -> Void
    }

    /// A name that a person types, and its purpose.
    private struct Naming {
        let title: String
        let accept: (String) -> Void
    }

    let model: Dashboard
    @State private var question: Question?
    @State private var naming: Naming?
    @State private var name = ""

    var body: some View {
        TabView(selection: Binding(model, \.page)) {
            Tab(Dashboard.Page.sessions.rawValue, value: .sessions) { sessions }
            Tab(Dashboard.Page.fronts.rawValue, value: .fronts) { fronts }
            Tab(Dashboard.Page.tree.rawValue, value: .tree) {
                subjectPage { TreePage(model: model) }
            }
            Tab(Dashboard.Page.calls.rawValue, value: .calls) {
                subjectPage { CallsPage(model: model) }
            }
            Tab(Dashboard.Page.trace.rawValue, value: .trace) {
                subjectPage { TracePage(model: model) }
            }
            Tab(Dashboard.Page.log.rawValue, value: .log) { subjectPage { LogPage(model: model) } }
            Tab(Dashboard.Page.ledger.rawValue, value: .ledger) {
                subjectPage { LedgerPage(model: model) }
            }
        }
        .task { await model.watchSessions() }
        .keyBindings(pages)
        // The dialog, and with it the question, is gone by the time its button acts.
        .confirmationDialog(question?.title ?? "", isPresented: isAsking) { [question] in
            // The button that changes nothing comes first: Enter may already have been pressed.
            Button("No") {}.keyboardShortcut("n")
            Button("Yes") { question?.confirm() }.keyboardShortcut("y")
        } message: {
            Text(question?.message ?? "")
        }
        .sheet(naming?.title ?? "", isPresented: isNaming) {
            TextField("letters, digits and -_.+@", text: $name).onSubmit { finishNaming() }
            Flow {
                Button("OK") { finishNaming() }
                Button("Cancel", role: .cancel) { naming = nil }.keyboardShortcut(.escape)
            }
            .padding(.top)
        }
    }

    /// The number keys of the pages: the line of keys has no room for them.
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

    /// The problem of the selected line, and the programs that its session holds.
    @ViewBuilder private var problem: some View {
        if let problem = model.selected?.problem { Text(problem).foregroundStyle(.warning) }
        if let held = model.selected.flatMap({ model.held[$0.sessionName] }) {
            Text("Held programs: \(held)").foregroundStyle(.secondary)
        }
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
            ask("Detach front \(front.front) of \(front.session)", Self.detached) {
                model.detach(front.session, front: front.front)
            }
        }
    }

    /// A page about the selected session, below its name.
    private func subjectPage(@ViewBuilder _ content: @escaping () -> some View) -> some View {
        VStack {
            Text(heading).foregroundStyle(.secondary)
            problem
            content()
        }
        .keyBindings(sessionKeys)
    }

    private var canShowAll: Bool { model.page == .tree || model.page == .calls }

    private var heading: String {
        guard let entry = model.selected else { return "No session is selected." }
        let isOfAll = canShowAll && model.showsAll
        return "\(model.page.rawValue) of \(isOfAll ? "all sessions" : entry.sessionName)"
    }

    private var sessionKeys: [KeyBinding] {
        guard let entry = model.selected else { return [] }
        let attach = KeyBinding(
            model.page == .sessions ? .enter : "a", "Attach"
        ) { model.choose(entry) }
        let new = KeyBinding("c", "New") { create(in: entry.app) }
        let restart = KeyBinding("r", "Restart") { self.restart(entry.app) }
        let all = KeyBinding("*", model.showsAll ? "Only \(entry.sessionName)" : "All") {
            model.showsAll.toggle()
        }
        let common = (canShowAll ? [all] : []) + [attach]
        guard !model.isReadOnly else { return common }
        let first = common + [new]
        guard let info = entry.info else { return first + [restart] }
        let session = info.session
        return first + [
            KeyBinding("e", "Rename") { rename(session) },
            KeyBinding("d", "Detach") {
                ask("Detach all fronts of \(session)", Self.detached) { model.detach(session) }
            },
            KeyBinding("x", "Kill") {
                ask(
                    "Kill \(session)",
                    "The session ends, with everything in it, and its fronts leave."
                        + (model.held[session] == nil ? "" : " Its held programs go on.")
                ) { model.kill(session) }
            },
            restart,
        ]
    }

    // MARK: - Questions

    private var isAsking: Binding<Bool> {
        Binding(get: { question != nil }, set: { if !$0 { question = nil } })
    }

    private static let detached = "It is told, and leaves. The session goes on."

    private func ask(_ title: String, _ message: String, _ confirm: @escaping () -> Void) {
        question = Question(title: title, message: message, confirm: confirm)
    }

    private func restart(_ app: String) {
        let ending = model.endingSessions(of: app)
        let outcome =
            ending == 0
            ? "All sessions come back."
            : "\(ending) of its sessions are not durable: what they hold is lost."
        ask("Restart \(app)", "Its workers end, and others start. \(outcome)") {
            model.restart(app, force: ending > 0)
        }
    }

    // MARK: - Names

    private var isNaming: Binding<Bool> {
        Binding(get: { naming != nil }, set: { if !$0 { naming = nil } })
    }

    private func create(in app: String) {
        begin(
            Naming(title: "Name of a new session of \(app)") { name in
                model.attach(SessionList.Entry(app: app, session: name, state: "new", info: nil))
            })
    }

    private func rename(_ session: String, as name: String? = nil) {
        begin(
            Naming(title: "New name of \(session)") { name in
                // If the name is refused, the dialog opens again, with the name still in its field.
                model.rename(session, to: name) { rename(session, as: name) }
            }, name: name ?? session)
    }

    private func begin(_ naming: Naming, name: String = "") {
        (self.naming, self.name) = (naming, name)
    }

    private func finishNaming() {
        guard let naming, !name.isEmpty else { return }
        self.naming = nil
        naming.accept(name)
    }
}
