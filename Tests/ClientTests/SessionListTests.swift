// SessionListTests: what a client can attach to, in the order of the list.

import NapkinElements
import NapkinProtocol
import NapkinTerminal
import Testing

@testable import NapkinClient

struct SessionListTests {
    private static let front = FrontInfo(front: 1, client: "c", pid: 8, uid: 8)

    private func session(_ name: String, of app: String, fronts: Int = 0) -> SessionInfo {
        SessionInfo(
            session: name, app: app, pid: 9, ageSeconds: 0, nodes: 1,
            fronts: Array(repeating: Self.front, count: fronts))
    }

    private func app(_ name: String, _ state: AppInfo.State = .idle) -> AppInfo {
        AppInfo(app: name, state: state, pid: nil, sessions: 0, crashes: 0)
    }

    @Test func `sessions stand below their app, and the one of its name is the app's line`() {
        let list = SessionList(
            [app("cart"), app("house"), app("broken", .degraded)],
            [
                session("supper", of: "house"), session("lunch", of: "house", fronts: 1),
                session("house", of: "house", fronts: 2), session("other", of: "cart"),
            ])
        #expect(
            list.entries.map { "\($0.name): \($0.state)" } == [
                "cart: new", "  other: nobody there", "house: 2 fronts", "  lunch: 1 front",
                "  supper: nobody there", "broken: degraded",
            ])
        #expect(list.entries.map(\.session) == [nil, "other", nil, "lunch", "supper", nil])
        #expect(list.entries.map(\.app) == ["cart", "cart", "house", "house", "house", "broken"])
        #expect(list.summary == "napkind · 3 apps · 4 sessions")
    }

    @MainActor
    @Test func `where no app is installed, the list says how to make one`() {
        let view = SessionListView(
            list: SessionList([], []), selection: .constant(nil)
        ) { _ in }
        let lines = view.render(width: 80, height: 5).map(\.text)
        #expect(lines.last?.contains("`napkin-client new app Counter` makes one") == true)
    }

    @MainActor
    @Test func `Enter attaches to what is selected`() {
        let list = SessionList(
            [app("cart"), app("house")], [session("lunch", of: "cart")])
        var chosen: [SessionList.Entry] = []
        let view = SessionListView(
            list: list, selection: .constant(list.entries[1].id)
        ) { answer in
            if case .attach(let entry) = answer { chosen.append(entry) }
        }
        #expect(
            view.render(width: 40, height: 5).map(\.text) == [
                "Attach to",
                "cart     new",
                "  lunch  nobody there" + String(repeating: " ", count: 19),
                "house    new",
            ])
        let keys = SiteRoot().evaluate(view, EnvironmentValues()).elements.keys()
        keys.first { $0.key == .enter }?.action()
        #expect(chosen == [list.entries[1]])
    }
}
