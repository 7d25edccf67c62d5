// ContainerTests: stacks, modals and tabs as they are seen: the way here, the frame, the strip.

import NapkinCoding
import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

private enum Middle: Feature {
    static let id: FeatureID = "a.middle"
}

@Suite struct ContainerTests {
    @Test(arguments: goldenSizes)
    func `a stack says the way here, a modal lies over what it covers`(size: ScreenSize) throws {
        let golden = Golden("containers", size)
        let stage = Stage(size)
        let home = stage.mounted.mount(
            "a.home",
            view: Made("Smokey Joe") {
                Text("the table")
            })
        golden.take("alone", stage)
        let board = stage.mounted.mount(
            "a.board", in: home, "push",
            view: Made("Pit Board") {
                ForEach(1..<7) { line in
                    Text("line \(line) 肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉肉").lineLimit(1)
                }
                Button("Behind") {}.keyboardShortcut("x")
            })
        golden.take("pushed", stage)
        let modal = stage.mounted.mount(
            "a.confirm", in: board, "modal", slot: "confirm",
            view: Made("Sure?") {
                Text("It cannot be undone.")
                Flow {
                    Button("No") {}
                    Button("Yes") {}
                }
            })
        golden.take("with a modal", stage)
        // What is covered cannot be reached.
        stage.press(.character("x"))
        #expect(stage.focused == "No")
        stage.press(.tab, .tab)
        #expect(stage.focused == "No")
        stage.press(.escape)
        #expect(stage.sent.map(\.node) == [modal])
        #expect(stage.sent.map(\.method) == ["dismiss"])
        stage.mounted.unmount(modal)
        golden.take("without it again", stage)
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `tabs are selected by the strip, by a click and by a key`(size: ScreenSize) throws {
        let golden = Golden("tabs", size)
        let stage = Stage(size)
        let home = stage.mounted.mount("a.home", view: Made { Text("Home") })
        stage.mounted.mount("a.one", in: home, "tab", slot: "menu", view: Made { Text("Ribs") })
        stage.mounted.mount("a.two", in: home, "tab", slot: "肉", view: Made { Text("Niku") })
        golden.take("the first tab", stage)
        stage.press(.right)
        golden.take("the second one, by an arrow", stage)
        stage.click("menu")
        #expect(stage.text.contains("Ribs"))
        stage.press(.control("t"))
        #expect(stage.text.contains("Niku"))
        try golden.check()
    }

    @Test func `a click on a tab that the worker decides on asks it`() throws {
        let stage = Stage()
        let home = stage.mounted.mount("a.home", view: Made { Text("Home") })
        let bar = TabBar(names: ["menu", "orders"], selected: "menu")
        stage.mounted.tree.node(home)?.set(
            .tabs, try Payload { (writer) throws(CBORError) in try writer.write(bar) })
        stage.click("orders")
        #expect(stage.selected == ["orders"])
        #expect(stage.text.contains("«"))
    }

    @Test func `children of one feature are told apart by their slots, and each is seen once`() {
        let stage = Stage()
        let home = stage.mounted.mount(
            "a.home",
            view: Made {
                ChildView(Middle.self, slot: "left")
                Text("between")
                ChildView(Middle.self)
                ChildView(Middle.self, slot: "right")
                TabView {}.padding(.leading).frame(maxHeight: .infinity)
            })
        for slot in ["right", "left", "other"] {
            stage.mounted.mount("a.middle", in: home, slot: slot, view: Words(slot))
            stage.mounted.mount("a.tab", in: home, "tab", slot: slot, view: Words("tab \(slot)"))
        }
        #expect(
            Array(stage.draw().lines.prefix(7).map(\.text)) == [
                "left", "between", "right", "other", "   right  left  other ", "  tab right", "",
            ])
    }

    @Test func `a body says where an embedded child goes; the others come below`() {
        let stage = Stage()
        let home = stage.mounted.mount(
            "a.home",
            view: Made {
                Text("above")
                ChildView(Middle.self)
                Text("below")
            })
        stage.mounted.mount("a.rest", in: home, slot: "rest", view: Words("rest"))
        stage.mounted.mount("a.middle", in: home, slot: "middle", view: Words("middle"))
        #expect(
            Array(stage.draw().lines.prefix(4).map(\.text)) == ["above", "middle", "below", "rest"])
    }

    @Test(arguments: [
        (200, " smoke · session lunch · connected · 3 fronts · 850 µs"),
        (50, " smoke · session lunch · connected · 3 fronts"),
        (40, " smoke · session lunch · connected"),
        (27, " session lunch · connected"), (20, " connected"), (5, " ●"),
    ])
    func `the status line says as much as fits, the connection last of all`(
        width: Int, text: String
    ) {
        var bar = StatusBar(SessionStatus(app: "smoke", session: "lunch"))
        bar.status.connection = .connected
        bar.status.fronts = 3
        bar.status.roundTrip = .microseconds(850)
        let line = bar.lines(width: width, most: 1)[0]
        #expect(line.cells == width)
        #expect(line.text.trimmingEnd == text)
        bar.status.roundTrip = .microseconds(12_340)
        #expect(bar.text.hasSuffix("12.3 ms"))
        bar.status.fronts = 1
        #expect(bar.text.contains("1 front ·"))
    }
}

extension String {
    fileprivate var trimmingEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
