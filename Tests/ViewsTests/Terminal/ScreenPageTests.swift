// ScreenPageTests: the whole screen: too small, scrolled, with its keys and its status.

import NapkinCore
import NapkinFront
import NapkinProtocol
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct ScreenPageTests {
    private func page(
        _ lines: [String] = ["one"], width: Int = 40, height: Int = 10, offset: Int = 0,
        keys: [KeyBinding] = [key("l", "Login"), key("q", "Quit")]
    ) -> ScreenPage {
        var bar = StatusBar(SessionStatus(app: "rib-house", session: "lunch"))
        bar.status.connection = .connected
        return ScreenPage(
            PageLayout(lines: lines.map { StyledLine($0) }, keys: []), bar: bar, keys: keys,
            size: ScreenSize(width: width, height: height), offset: offset)
    }

    @Test func `the keys and the status are the last lines`() {
        let lines = page().lines.map(\.text)
        #expect(lines.count == 10)
        #expect(lines[0] == "one")
        #expect(lines[8] == "[l] Login  [q] Quit")
        #expect(lines[9].hasPrefix(" rib-house · session lunch · connected "))
        #expect(lines[9].count == 40)
    }

    @Test(arguments: [
        (20, 5, false), (19, 5, true), (20, 4, true), (10, 3, true), (10, 2, true), (1, 1, true),
        (200, 5, false),
    ])
    func `a terminal below 20 by 5 is told what is needed`(
        width: Int, height: Int, isTooSmall: Bool
    ) {
        let lines = page(width: width, height: height).lines
        #expect(lines.count <= height)
        #expect(lines.allSatisfy { $0.cells <= width })
        let text = lines.map(\.text).joined(separator: "\n")
        #expect(text.contains("one") == !isTooSmall)
        if isTooSmall, width >= 10 { #expect(text.contains("20×5")) }
        if isTooSmall, width >= 18 {
            #expect(text.contains("Terminal too small\nneeded: 20×5\nnow: \(width)×\(height)"))
        }
    }

    @Test func `what does not fit is scrolled to, and never past its end`() {
        let lines = (1...10).map { "line \($0)" }
        let top = page(lines, height: 6)
        #expect(top.lines.prefix(4).map(\.text) == ["line 1", "line 2", "line 3", "↓ 7 more"])
        let middle = page(lines, height: 6, offset: 3)
        #expect(middle.lines.prefix(4).map(\.text) == ["↑ 3 more", "line 5", "line 6", "↓ 4 more"])
        let bottom = page(lines, height: 6, offset: 99)
        #expect(bottom.offset == 6)
        #expect(bottom.lines[3].text == "line 10")
        #expect(page(lines, height: 6, offset: -1).offset == 0)
    }

    @Test func `keys that do not fit are left out, the way out never`() {
        let keys = [key("p", "Pit Board"), key("o", "Logout"), key("q", "Quit")]
        #expect(StatusBar.keys(keys, width: 80).text == "[p] Pit Board  [o] Logout  [q] Quit")
        #expect(StatusBar.keys(keys, width: 30).text == "[p] Pit Board  [q] Quit")
        #expect(StatusBar.keys(keys, width: 20).text == "[o] Logout  [q] Quit")
        #expect(StatusBar.keys(keys, width: 9).text == "[q] Quit")
        #expect(StatusBar.keys([], width: 9).text.isEmpty)
    }

    @Test(arguments: [20, 40, 80])
    func `what a notice says to do is whole, however narrow the terminal is`(width: Int) {
        let stage = Stage(ScreenSize(width: width, height: width == 20 ? 5 : 24))
        stage.mounted.mount("a.view", view: Made { ForEach(0..<30) { Text("line \($0)") } })
        let before = stage.draw()
        stage.session.notice.say("there are 64 fronts; `ls` lists them, `kill web` ends one")
        let page = stage.draw()
        let words = page.lines.map(\.text).joined(separator: " ").split(separator: " ")
        #expect(words.joined(separator: " ").hasSuffix("; `ls` lists them, `kill web` ends one"))
        #expect(page.lines.count == before.lines.count && page.offset == before.offset)
        #expect(page.lines.contains { $0.text.contains("] Quit") })
        #expect(page.lines.allSatisfy { $0.cells <= width })
        stage.session.notice.say(String(repeating: "and so on ", count: 1000))
        #expect(stage.draw().lines.count == before.lines.count)
        stage.press(.down)
        #expect(stage.draw().lines.last?.text == before.lines.last?.text)
    }

    @Test func `a lost connection and a notice take the status line`() {
        var bar = StatusBar(SessionStatus(app: "rib-house", session: "rib-house", isReadOnly: true))
        bar.status.connection = .disconnected(since: "12:03:41", reason: "gone")
        let text =
            "rib-house · session rib-house · read only · "
            + "disconnected since 12:03:41, retrying (gone)"
        #expect(bar.text == text)
        #expect(bar.line(width: 90).spans.first?.role == .warning)
        bar.notice = "1 event is in doubt"
        #expect(bar.line(width: 40).text.hasPrefix(" ○ · 1 event is in doubt "))
        bar.status.connection = .connected
        #expect(bar.line(width: 40).text.hasPrefix(" ● · 1 event is in doubt "))
        #expect(bar.line(width: 60).text.hasPrefix(" connected · 1 event is in doubt "))
    }

    @Test func `a notice ends by itself, unless another one has come`() {
        let stage = Stage()
        stage.session.notice.say("the drawer is locked")
        stage.session.notice.say("the worker was restarted")
        #expect(stage.text.contains("the worker was restarted"))
        stage.wait()
        #expect(!stage.text.contains("the worker was restarted"))
        #expect(stage.redraws > 0)
    }

    @Test func `the time of a notice begins with it`() {
        let stage = Stage()
        stage.session.notice.say("one")
        stage.session.notice.say(nil)
        stage.session.notice.say("two")
        stage.later[0]()
        #expect(stage.session.notice.text == "two")
    }

    @Test func `the state of the connection is never cut`() {
        var bar = StatusBar(SessionStatus(app: "rib-house", session: "rib-house"))
        let reason = "no napkind at /run/user/1000/napkin/napkind.sock, nothing is there"
        bar.status.connection = .disconnected(since: "12:03:41", reason: reason, nextTry: 12)
        let state = " disconnected since 12:03:41, next try in 12 s"
        #expect(bar.line(width: 80).text.hasPrefix(state + " (no napkind at /run/user/1000/n…)"))
        #expect(bar.line(width: 60).text.hasPrefix(state + "   "))
        #expect(bar.line(width: 20).text.hasPrefix(" disconnected   "))
        bar.status.connection = .connected
        bar.status.wait = FrontWait(.worker, seconds: 4)
        #expect(bar.text == "rib-house · session rib-house · waiting 4 s for rib-house's worker")
        #expect(bar.line(width: 80).spans.first?.role == .warning)
        #expect(bar.line(width: 20).text.hasPrefix(" waiting 4 s   "))
        bar.status.wait = FrontWait(.answer, seconds: 0)
        #expect(bar.line(width: 80).text.contains(" · waiting for an answer "))
        #expect(bar.line(width: 80).spans.first?.role == .bar)
    }

    @Test(arguments: [
        (0.000_4, "400 µs"), (0.003_64, "3.6 ms"), (0.099_96, "100 ms"), (0.999_6, "1.0 s"),
        (12.872, "12.9 s"), (99.96, "100 s"), (872.4, "872 s"),
    ])
    func `a round trip is told in a unit that suits it`(seconds: Double, text: String) {
        var bar = StatusBar(SessionStatus(app: "pit", session: "lunch"))
        bar.status.connection = .connected
        bar.status.roundTrip = .seconds(seconds)
        #expect(bar.text == "pit · session lunch · connected · \(text)")
        bar.status.wait = FrontWait(.worker, seconds: 1)
        #expect(!bar.text.contains(text))
    }

    @Test func `the status says what is saved, in fewer words where it is narrow`() {
        var bar = StatusBar(SessionStatus(app: "pit", session: "lunch"))
        bar.status.connection = .connected
        func told(_ level: String?) {
            bar.status.durability = SessionStatus.durability(
                of: Attached(
                    app: "pit", session: "lunch", front: 1, epoch: 1, window: 1, isResumed: false,
                    durability: level))
        }
        let rest = "pit · session lunch · connected"
        #expect(bar.text == rest)
        told("machine")
        #expect(bar.text == rest + " · saved")
        for level in ["process", "something newer"] {
            told(level)
            #expect(bar.text == rest + " · saved, except on power loss")
            #expect(bar.line(width: 62).text.contains(" · saved, except on power loss"))
            #expect(bar.line(width: 61).text.contains("connected · saved, not synced "))
            #expect(!bar.line(width: 50).text.contains("saved"))
        }
        told(nil)
        #expect(bar.text == rest)
    }

    @Test func `plain text has the status, the lines and the keys`() {
        var bar = StatusBar(SessionStatus(app: "rib-house", session: "rib-house"))
        bar.status.connection = .connected
        let composition = PageLayout(
            lines: [StyledLine("RIB HOUSE", .title)], keys: [key("l", "Login")])
        let lines = ["—— rib-house · session rib-house · connected ——", "RIB HOUSE", "[l] Login"]
        #expect(PlainScreen.lines(composition, bar: bar) == lines)
    }

    private func component(_ environment: [String: String]) -> TerminalComponent {
        TerminalComponent(timeOfDay: { "14:05:09" }, environment: { environment[$0] })
    }

    @Test func `a component says what the terminal of its environment can do`() {
        #expect(component(["TERM": "xterm"]).canMoveCursor)
        #expect(!component(["TERM": "dumb"]).canMoveCursor)
        #expect(component([:]).terminalType == nil)
        #expect(component([:]).plainColumns == 80)
        #expect(component(["COLUMNS": "132"]).plainColumns == 132)
        #expect(component(["COLUMNS": "3"]).plainColumns == ScreenSize.smallest.width)
        #expect(component(["COLUMNS": "wide"]).plainColumns == 80)
        #expect(component([:]).timeOfDay() == "14:05:09")
    }

    @Test func `common keys stand for a view's own`() {
        let keys = [key("p", "Pit Board"), key("b", "Back", role: .cancel), key("A", "All")]
        #expect(keys.binding(for: .enter)?.label == "Pit Board")
        #expect(keys.binding(for: .escape)?.label == "Back")
        #expect(keys.binding(for: .backspace)?.label == "Back")
        #expect(keys.binding(for: .character("P"))?.label == "Pit Board")
        #expect(keys.binding(for: .character("A"))?.label == "All")
        #expect(keys.binding(for: .character("a")) == nil)
        #expect([KeyBinding]().binding(for: .enter) == nil)
    }
}

extension StatusBar {
    fileprivate func line(width: Int) -> StyledLine { lines(width: width, most: 1)[0] }
}
