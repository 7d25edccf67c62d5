// PageComposerTests: which view is seen, and which keys there are.

import NapkinCoding
import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

@Suite struct PageComposerTests {
    let mounted = MountedTree()
    let composer = PageComposer(send: { _, _, _ in }, redraw: {})

    /// As plain text, in which nothing is beside anything else.
    private func compose(
        width: Int = 40, height: Int = 20, isLinear: Bool = true
    ) -> PageLayout {
        composer.compose(mounted.tree.root, width: width, height: height, isLinear: isLinear)
    }

    @Test func `without a tree it says so`() {
        #expect(compose().text == ["Nothing is shown yet."])
    }

    @Test func `a container shows the child embedded in it`() {
        let launch = mounted.mount("a.launch", view: EmptyView())
        let loggedOut = mounted.mount(
            "a.logged-out", in: launch, view: Words("Welcome", keys: [key("l", "Login")]))
        #expect(compose().text == ["Welcome"])
        #expect(compose().keys.map(\.label) == ["Login"])
        mounted.unmount(loggedOut)
        #expect(compose().text.isEmpty)
    }

    @Test func `the view pushed last covers its parent, with its keys`() {
        let home = mounted.mount("a.home", view: Words("Home", keys: [key("o", "Logout")]))
        mounted.mount("a.first", in: home, "push", view: Words("First"))
        let back = key("b", "Back", role: .cancel)
        let second = mounted.mount(
            "a.second", in: home, "push", view: Words("Second", keys: [back]))
        #expect(compose().text == ["Second"])
        #expect(compose().keys.map(\.label) == ["Back"])
        mounted.unmount(second)
        #expect(compose().text == ["First"])
    }

    @Test func `a modal covers what was pushed and says where it belongs`() {
        let home = mounted.mount("a.home", view: Words("Home"))
        mounted.mount("a.pushed", in: home, "push", view: Words("Pushed"))
        mounted.mount("a.confirm", in: home, "modal", slot: "confirm", view: Words("Sure?"))
        #expect(compose().text == ["── confirm ──", "Sure?"])
    }

    @Test func `one tab is seen, and Tab goes to the next`() throws {
        let home = mounted.mount("a.home", view: Words("Home"))
        mounted.mount("a.one", in: home, "tab", slot: "one", view: Words("1"))
        mounted.mount("a.two", in: home, "tab", slot: "two", view: Words("2"))
        #expect(compose().text == ["Home", " one  two ", "1"])
        try #require(compose().keys.first { $0.key == .tab }).action()
        #expect(compose().text == ["Home", " one  two ", "2"])
        try #require(compose().keys.first { $0.key == .tab }).action()
        #expect(compose().text.last == "1")
    }

    @Test func `a covering view without a way back has Escape, which asks the worker`() throws {
        var sent: [(UInt32, MethodID)] = []
        let composer = PageComposer(
            send: { node, method, _ in sent.append((node, method)) }, redraw: {})
        let home = mounted.mount("a.home", view: Words("Home", keys: [key("o", "Logout")]))
        let first = mounted.mount("a.first", in: home, "push", view: Words("First"))
        let second = mounted.mount("a.second", in: first, "modal", view: Words("Second"))
        func keys() -> [KeyBinding] {
            composer.compose(mounted.tree.root, width: 40, height: 9).keys
        }
        #expect(keys().map(\.hint.text) == ["[Esc] Close"])
        try #require(keys().binding(for: .escape)).action()
        mounted.unmount(second)
        #expect(keys().map(\.hint.text) == ["[Esc] Back"])
        try #require(keys().binding(for: .backspace)).action()
        #expect(sent.map(\.0) == [second, first])
        #expect(sent.allSatisfy { $0.1 == .dismiss })
        mounted.unmount(first)
        #expect(keys().map(\.label) == ["Logout"])
    }

    @Test func `a covering view that has Escape for itself keeps it`() {
        let home = mounted.mount("a.home", view: Words("Home"))
        let escape = KeyBinding(.escape, "Discard") {}
        mounted.mount("a.draft", in: home, "push", view: Words("Draft", keys: [escape]))
        #expect(compose().keys.map(\.label) == ["Discard"])
    }

    @Test func `tabs that the worker tells of are shown and selected as it says`() throws {
        var selected: [String] = []
        let composer = PageComposer(
            send: { _, _, _ in }, select: { tab, _ in selected.append(tab) }, redraw: {})
        func compose() -> PageLayout {
            composer.compose(mounted.tree.root, width: 40, height: 9, isLinear: true)
        }
        func select(_ name: String) throws {
            let bar = TabBar(names: ["menu", "orders"], selected: name)
            let payload = try Payload { (writer) throws(CBORError) in try writer.write(bar) }
            mounted.tree.node(home)?.set(.tabs, payload)
        }
        let home = mounted.mount("a.home", view: Words("Home"))
        mounted.mount("a.menu", in: home, "tab", slot: "menu", view: Words("Ribs"))
        try select("menu")
        #expect(compose().text == ["Home", " menu  orders ", "Ribs"])
        let tab = try #require(compose().keys.first { $0.key == .tab })
        #expect(tab.label == "orders")
        tab.action()
        // The front has asked; nothing changes before the worker says so.
        #expect(selected == ["orders"])
        #expect(compose().text.last == "Ribs")
        try select("orders")
        mounted.mount("a.orders", in: home, "tab", slot: "orders", view: Words("None"))
        #expect(compose().text == ["Home", " menu  orders ", "None"])
        #expect(compose().keys.map(\.label) == ["menu"])
    }

    @Test func `embedded children come below their parent, innermost keys first`() {
        let home = mounted.mount("a.home", view: Words("Home", keys: [key("h", "Help")]))
        mounted.mount("a.one", in: home, view: Words("One", keys: [key("1", "One")]))
        mounted.mount("a.two", in: home, view: Words("Two", keys: [key("2", "Two")]))
        #expect(compose().text == ["Home", "One", "Two"])
        #expect(compose().keys.map(\.label) == ["One", "Two", "Help"])
    }

    @Test func `a feature without a view shows its name and its states`() {
        mounted.mount(
            "a.unknown",
            states: [("present(count:)", [0x18, 0x2A]), ("other(_:)", []), ("bad(_:)", [0xFF])])
        composer.schemas = [
            FeatureSchema(
                feature: "a.unknown",
                presents: [
                    MethodSchema(
                        key: "present(count:)", delivery: .state,
                        parameters: [ParameterSchema(label: "count", name: "count", type: "Int")])
                ],
                listens: [MethodSchema(key: "didTapGo()", delivery: .event)])
        ]
        let composition = compose(width: 60)
        #expect(composition.text[0] == "a.unknown")
        #expect(composition.text[1] == "  Count: 42")
        #expect(composition.text[2] == "  #\(MethodID(key: "other(_:)").rawValue): null")
        #expect(composition.text[3].contains("unreadable"))
        #expect(composition.keys.map(\.hint.text) == ["[1] Go"])
    }

    @Test func `a generic view's key sends its event`() throws {
        var sent: [(UInt32, MethodID)] = []
        let composer = PageComposer(
            send: { node, method, _ in sent.append((node, method)) }, redraw: {})
        composer.schemas = [
            FeatureSchema(
                feature: "a.unknown", presents: [],
                listens: [MethodSchema(key: "didTapGo()", delivery: .event)])
        ]
        let node = mounted.mount("a.unknown")
        let keys = composer.compose(mounted.tree.root, width: 40, height: 9).keys
        try #require(keys.binding(for: .enter)).action()
        #expect(sent.map(\.0) == [node])
        #expect(sent.map(\.1) == [MethodID(key: "didTapGo()")])
    }

    @Test func `no line is wider than the screen, however narrow`() {
        let home = mounted.mount("a.home", view: Words("肉 Rib House", "second line"))
        mounted.mount("a.unknown", in: home, states: [("f(_:)", [0x63, 0x61, 0x62, 0x63])])
        for (width, isLinear) in (0...20).flatMap({ [($0, true), ($0, false)] }) {
            let lines = compose(width: width, height: 3, isLinear: isLinear).lines
            #expect(lines.allSatisfy { $0.cells <= width })
        }
    }
}
