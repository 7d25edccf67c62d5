// SessionListTests: what a client can attach to, in the order of the list.

import NapkinProtocol
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
                "cart: new", "  other: no fronts", "house: 2 fronts", "  lunch: 1 front",
                "  supper: no fronts", "broken: degraded",
            ])
        #expect(list.entries.map(\.session) == [nil, "other", nil, "lunch", "supper", nil])
        #expect(list.entries.map(\.app) == ["cart", "cart", "house", "house", "house", "broken"])
        #expect(list.summary == "napkind · 3 apps · 4 sessions")
    }
}
