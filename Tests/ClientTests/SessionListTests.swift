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

    @Test func `what cannot be asked stays, with what was known and why there is no more`() {
        let known = SessionList(
            [app("cart")], [session("cart", of: "cart"), session("lunch", of: "cart", fronts: 2)])
        var silent = ["cart", "lunch", "new"].map { session($0, of: "cart") }
        for index in silent.indices {
            (silent[index].nodes, silent[index].silence) = (0, "no answer")
        }
        var broken = app("house", .broken)
        broken.error = "house.json:1: no"
        let list = SessionList(
            [app("cart"), broken], known.remembered(silent), silent: ["cart": "no answer"])
        #expect(
            list.entries.map { "\($0.name): \($0.state): \($0.problem ?? "")" } == [
                "cart: does not answer: no answer", "  lunch: does not answer: no answer",
                "  new: does not answer: no answer", "house: broken: house.json:1: no",
            ])
        #expect(list.entries.map { $0.info?.nodes } == [1, 1, 0, nil])
        #expect(list.entries[1].info?.fronts.count == 2)
        #expect(list.summary == "napkind · 2 apps · 3 sessions")
        // It answers again.
        let answer = [session("lunch", of: "cart")]
        #expect(list.remembered(answer) == answer)
    }

    @Test func `a session of another machine is listed with it, unless it runs here by now`() {
        func stored(_ name: String, on machine: String?) -> ClusterSession {
            ClusterSession(session: name, app: "cart", journal: "cart", machine: machine)
        }
        let list = SessionList(
            [app("cart")],
            [session("lunch", of: "cart", fronts: 1), SessionInfo(stored: "moved", app: "cart")],
            elsewhere: [
                stored("cart", on: "ben"), stored("moved", on: "ben"), stored("lunch", on: "ben"),
                stored("free", on: nil),
            ])
        #expect(
            list.entries.map { "\($0.name): \($0.state)" } == [
                "cart: on ben", "  free: stored", "  lunch: 1 front", "  moved: on ben",
            ])
        #expect(list.entries.allSatisfy { $0.info != nil })
        #expect(list.summary == "napkind · 1 app · 4 sessions")
    }
}
