// DashboardTests: the dashboard's pages, their keys and questions, without a daemon.

import NapkinElements
import NapkinProtocol
import NapkinTerminal
import Testing

@testable import NapkinClient

@MainActor
@Suite struct DashboardTests {
    private let model: Dashboard
    private let stage: ViewStage

    init() throws {
        model = Dashboard(try DaemonOptions.parse(["--socket", "/nowhere/napkind.sock"]))
        stage = ViewStage(DashboardView(model: model), width: 80, height: 12)
    }

    private func app(_ name: String) -> AppInfo {
        AppInfo(app: name, state: .idle, pid: nil, sessions: 0, crashes: 0)
    }

    private func show(durability: String? = nil) {
        let front = FrontInfo(front: 7, client: "napkin-client 1", pid: 8, uid: 0, idleSeconds: 75)
        let sessions = [("cart", 3, 40), ("lunch", 5, 7300)].map { name, nodes, age in
            SessionInfo(
                session: name, app: "cart", pid: 9, ageSeconds: age, nodes: nodes,
                fronts: name == "lunch" ? [front] : [], workerBytes: 10 << 20,
                durability: durability)
        }
        model.take(
            SessionList([app("cart"), app("house")], sessions),
            [
                Dashboard.Front(
                    session: "lunch",
                    listing: SessionListing(sessions[1]) { _ in "joe" }.fronts[0])
            ])
    }

    @Test func `where no app is installed, it says how to make one`() {
        #expect(stage.lines.contains("Asking napkind…"))
        model.take(SessionList([], []), [])
        #expect(stage.lines.contains { $0.contains("`napkin-client new app Counter` makes one") })
    }

    @Test func `sessions have their nodes, memory and age, and can be sorted`() {
        show()
        #expect(
            stage.lines == [
                " Sessions  Fronts  Tree  Calls  Trace  Log  Ledger",
                "SESSION    STATE      NODES    WORKER RSS    AGE",
                "cart       no fronts        3        10 MiB    40s",
                "  lunch    1 front          5        10 MiB  2h01m",
                "house      new",
            ])
        // Each column, in both orders.
        for _ in 0..<6 { stage.press("s") }
        #expect(stage.lines[1].contains("NODES ▼"))
        #expect(stage.lines[2].hasPrefix("cart/lunch") && stage.lines[4].hasPrefix("house"))
    }

    @Test func `what is wrong with what is selected is said on each page`() {
        var broken = AppInfo(app: "house", state: .broken, sessions: 0, crashes: 0)
        broken.error = "house.json:1: no"
        model.take(SessionList([app("cart"), broken], []), [])
        #expect(stage.lines.contains("house      broken"))
        #expect(!stage.lines.contains("house.json:1: no"))
        stage.press(.down)
        #expect(stage.lines.contains("house.json:1: no"))
        stage.press("3")
        #expect(stage.lines.contains("house.json:1: no"))
    }

    @Test func `a narrow screen leaves out what is not needed to choose`() {
        let narrow = ViewStage(DashboardView(model: model), width: 24, height: 8)
        show()
        #expect(
            narrow.lines.dropFirst() == [
                "SESSION    STATE", "cart       no fronts", "  lunch    1 front",
                "house      new",
            ])
    }

    @Test func `Enter attaches to what is selected, and a to what is looked at`() {
        show()
        var chosen: [String] = []
        model.attach = { chosen.append($0.sessionName) }
        stage.press(.enter, .down, .enter, "3", "a")
        #expect(chosen == ["cart", "lunch", "lunch"])
        #expect(stage.lines.contains("Tree of lunch"))
    }

    @Test func `what cannot be taken back is asked first`() {
        show()
        stage.press(.down, "x")
        #expect(stage.tree().contains(#"dialog "Kill lunch""#))
        stage.press("n")
        #expect(!stage.tree().contains("dialog"))
        stage.press("r")
        #expect(stage.tree().contains("2 of its sessions are not durable"))
        stage.press(.escape)
        show(durability: "machine")
        stage.press("r")
        #expect(stage.tree().contains("All sessions come back."))
        stage.press("n", "2", "d")
        #expect(stage.tree().contains(#"dialog "Detach front 7 of lunch""#))
    }

    @Test func `a new session is named, and shown`() {
        show()
        var chosen: [SessionList.Entry] = []
        model.attach = { chosen.append($0) }
        stage.press("c")
        stage.type("brunch")
        stage.press(.enter)
        #expect(chosen.map(\.id) == ["cart/brunch"])
        stage.press(.down, "e")
        #expect(stage.tree().contains(#"field "letters, digits and -_.+@" = "lunch""#))
        stage.press(.escape)
        #expect(!stage.tree().contains("dialog") && chosen.count == 1)
    }

    @Test func `a name that is refused comes back into its field`() async {
        show()
        stage.press(.down, "e")
        stage.type("-2")
        let (said, saying) = AsyncStream.makeStream(of: String.self)
        model.say = { saying.yield($0) }
        stage.press(.enter)
        #expect(!stage.tree().contains("dialog"))
        for await _ in said { break }
        #expect(stage.tree().contains(#"field "letters, digits and -_.+@" = "lunch-2""#))
    }

    @Test func `fronts have a page, and the newest of many lines are kept`() {
        show()
        stage.press("2")
        #expect(
            stage.lines.dropFirst() == [
                "SESSION  FRONT  STATE      IDLE  USER  CLIENT           PID",
                "lunch        7  attached  1m15s  joe   napkin-client 1    8",
            ])
        var kept = KeptLines()
        kept.append((1...6000).map { "\($0)" })
        kept.append(["6001"])
        #expect(kept.lines.count == 5000 && kept.lines.last == "6001")
        #expect(kept.first == 1001 && kept.lines.first == "1002")
    }

    @Test func `of many lines, those that are wanted are shown and counted`() {
        var kept = KeptLines()
        kept.append(["1 → front 1 house.pit add(_:)", "2 ← front 1 house.door event", "… lost"])
        kept.show(TraceFilter(words: "FRONT", direction: .toFronts).admits)
        #expect(kept.lines == ["2 ← front 1 house.door event", "… lost"])
        kept.append(["3 → front", "4 ← front 2", "5 ← back"])
        #expect(kept.lines.last == "4 ← front 2" && kept.first == 0)
        // The line that goes first is one of those that are not shown; the second one is.
        kept.append((1...4995).map { "\($0) ← front" })
        #expect(kept.first == 0 && kept.lines.count == 4998)
        kept.append(["5 → front"])
        #expect(kept.first == 1 && kept.lines.first == "… lost")
        kept.show(TraceFilter().admits)
        #expect(kept.first == 0 && kept.lines.count == 5000)
    }

    @Test func `a renamed session stays selected, and so does its front`() {
        func show(_ names: [String]) {
            let front = FrontInfo(front: 7, client: "client", pid: 8, uid: 0, idleSeconds: 5)
            let sessions = names.map {
                SessionInfo(
                    session: $0, app: "cart", pid: 9, ageSeconds: 1, nodes: 1, fronts: [front])
            }
            model.take(
                SessionList([app("cart"), app("house")], sessions),
                sessions.map {
                    Dashboard.Front(
                        session: $0.session, listing: SessionListing($0) { _ in "joe" }.fronts[0])
                })
        }
        // The app's namesake, which is selected without a choice; its front is selected, too.
        show(["cart"])
        model.front = Dashboard.Front.ID(session: "cart", front: 7)
        model.follow("cart", to: "lunch")
        // A list that was asked for before, and a table that has the focus again.
        show(["cart"])
        model.selection = "cart"
        #expect(model.selected?.sessionName == "cart")
        show(["brunch", "lunch"])
        #expect(model.selected?.sessionName == "lunch")
        #expect(model.front == Dashboard.Front.ID(session: "lunch", front: 7))
        // Back to the app's name.
        model.follow("lunch", to: "cart")
        show(["brunch", "cart"])
        #expect(model.selected?.info?.session == "cart")
        // Another line has been selected meanwhile, or was when it was renamed.
        model.follow("cart", to: "lunch")
        model.selection = "house"
        show(["brunch", "lunch"])
        model.follow("lunch", to: "cart")
        show(["brunch", "cart"])
        #expect(model.selected?.id == "house")
    }

    @Test func `who only looks has no keys for more`() throws {
        let options = try DaemonOptions.parse(["--socket", "/nowhere/napkind.sock"])
        let model = Dashboard(options, isReadOnly: true)
        let stage = ViewStage(DashboardView(model: model), width: 80, height: 12)
        var said: [String] = []
        model.say = { said.append($0) }
        model.take(SessionList([app("cart")], []), [])
        stage.press("r", "e", "x", "d", "c")
        #expect(!stage.tree().contains("dialog"))
        model.kill("cart")
        model.rename("cart", to: "house")
        #expect(said == ["this page only looks", "this page only looks"])
        // A session that is not there would be created.
        var chosen: [String] = []
        model.attach = { chosen.append($0.sessionName) }
        stage.press(.enter)
        #expect(said.last == "there is no session cart to look at yet" && chosen.isEmpty)
        let session = SessionInfo(
            session: "cart", app: "cart", pid: 9, ageSeconds: 1, nodes: 1, fronts: [])
        model.take(SessionList([app("cart")], [session]), [])
        stage.press(.enter)
        #expect(chosen == ["cart"])
    }

    @Test func `bars are as long as what they stand for`() {
        let bars = [("a", 8.0), ("bb", 4), ("c", 0), ("d", 0.01)].map {
            BarChart.Bar(label: $0, value: $1, text: "\($1)")
        }
        #expect(
            BarChart.lines(of: bars, width: 12) == [
                " a ████ 8.0", "bb ██ 4.0", " c  0.0", " d ▏ 0.01",
            ])
    }
}
