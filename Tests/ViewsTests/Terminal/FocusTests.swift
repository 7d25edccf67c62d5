// FocusTests: where the focus is, where it goes, and what it keeps.

import Observation
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// Whether a desk has a note, and which of its fields is to have the focus.
@Observable
private final class DeskModel {
    var hasNote = false
    var isNameFocused = false
    var isNoteFocused = false
}

/// Two fields that know whether they have the focus.
private struct Desk: View {
    let model: DeskModel
    @State private var name = ""
    @State private var note = ""

    var body: some View {
        TextField(text: $name).id("name").focused(Binding(model, \.isNameFocused))
        if model.hasNote {
            TextField(text: $note).id("note").focused(Binding(model, \.isNoteFocused))
        }
    }
}

@Suite struct FocusTests {
    @Test(arguments: goldenSizes)
    func `Tab and arrows move among what can take it`(size: ScreenSize) throws {
        let golden = Golden("focus", size)
        let stage = Stage(size)
        stage.mounted.mount(
            "a.view",
            view: Made {
                Flow {
                    Button("One") {}
                    Button("Two") {}
                }
                List(["a", "b"], id: \.self) { Text($0) }
                Button("Three") {}
            })
        golden.take("the first one has it", stage)
        stage.press(.tab)
        golden.take("Tab", stage)
        stage.press(.down, .down)
        golden.take("down into the list, and in it", stage)
        stage.press(.down)
        golden.take("down out of the list", stage)
        #expect(stage.focused == "Three")
        stage.press(.tab)
        #expect(stage.focused == "One")
        stage.press(.backTab, .backTab)
        #expect(stage.focused == "list")
        stage.press(.backTab, .left)
        golden.take("back, and left", stage)
        #expect(stage.focused == "One")
        try golden.check()
    }

    @Test func `a field takes the letters, the view takes them otherwise`() {
        let stage = Stage()
        let text = Kept("")
        var pressed = 0
        stage.mounted.mount(
            "a.view",
            view: Made {
                TextField(text: text.binding)
                Button("Order") { pressed += 1 }.keyboardShortcut("o")
            })
        stage.type("oq")
        #expect(text.value == "oq")
        #expect((pressed, stage.quits) == (0, 0))
        #expect(stage.text.contains("[^C] Quit"))
        stage.press(.tab)
        #expect(stage.text.contains("[q] Quit"))
        stage.type("o")
        #expect(pressed == 1)
        stage.type("q")
        #expect(stage.quits == 1)
        stage.press(.tab, .control("c"))
        #expect(stage.quits == 2)
    }

    @Test func `the focus stays where it is through new states, resizes and a new tree`() {
        let stage = Stage()
        let names = Kept(["One", "Two", "Three"])
        func mount() {
            stage.mounted.mount(
                "a.view", view: Made { ForEach(names.value, id: \.self) { Button($0) {} } })
        }
        mount()
        stage.press(.tab)
        #expect(stage.focused == "Two")
        names.value = ["Zero", "Half", "One", "Two", "Three"]
        #expect(stage.focused == "Two")
        stage.size = ScreenSize(width: 20, height: 5)
        #expect(stage.focused == "Two")
        #expect(stage.text.contains("«[ Two ]»"))
        // A snapshot replaces the tree: other objects with the same numbers.
        stage.mounted.replaceAll { mount() }
        #expect(stage.focused == "Two")
    }

    @Test func `when its element vanishes the focus goes to the neighbour`() {
        let stage = Stage()
        let names = Kept(["One", "Two", "Three"])
        stage.mounted.mount(
            "a.view", view: Made { ForEach(names.value, id: \.self) { Button($0) {} } })
        stage.press(.tab)
        names.value.remove(at: 1)
        #expect(stage.focused == "Three")
        names.value.removeLast()
        #expect(stage.focused == "One")
        names.value = []
        #expect(stage.focused == nil)
        names.value = ["Four"]
        #expect(stage.focused == "Four")
    }

    @Test func `a log has the focus before its first line, and Enter presses nothing else`() {
        let stage = Stage()
        let lines = Kept<[String]>([])
        var pressed = 0
        stage.mounted.mount(
            "a.view",
            view: Made {
                Log(lines.value)
                Button("Stop") { pressed += 1 }
            })
        #expect(stage.focused == "list")
        // Enter stands for the first key of the views, the search.
        stage.press(.enter, .escape)
        lines.value = (1...3).map { "line \($0)" }
        #expect(stage.focused == "list" && pressed == 0 && stage.text.contains("«line 3»"))
        lines.value = []
        #expect(stage.focused == "list")
        stage.press(.tab, .enter)
        #expect(pressed == 1)
    }

    @Test func `a covered screen gets its focus back`() {
        let stage = Stage()
        let home = stage.mounted.mount(
            "a.home",
            view: Made("Home") {
                Button("One") {}
                Button("Two") {}
            })
        stage.press(.tab)
        let board = stage.mounted.mount(
            "a.board", in: home, "push",
            view: Made("Board") {
                Button("Left") {}
                Button("Right") {}
            })
        #expect(stage.focused == "Left")
        stage.press(.tab)
        stage.mounted.unmount(board)
        #expect(stage.focused == "Two")
    }

    @Test func `two elements of one name are two`() {
        let stage = Stage()
        var pressed: [Int] = []
        stage.mounted.mount(
            "a.view",
            view: Made {
                ForEach(1..<3) { number in Button("Same") { pressed.append(number) } }
            })
        stage.press(.enter, .tab, .enter, .tab, .character(" "))
        #expect(pressed == [1, 2, 1])
    }

    @Test func `Enter is the focused element's, then the view's first key`() {
        let stage = Stage()
        var done: [String] = []
        stage.mounted.mount(
            "a.view",
            view: Made {
                List(["a", "b"], id: \.self) { Text($0) }
                Button("Order") { done.append("order") }.keyboardShortcut("o")
                Button("Away") { done.append("away") }
            })
        stage.press(.enter)
        #expect(done == ["order"])
        stage.press(.tab, .tab, .enter)
        #expect(done == ["order", "away"])
    }

    @Test func `a field stays in sight while what is above it grows, unless one scrolls away`() {
        let stage = Stage(ScreenSize(width: 20, height: 5))
        let words = Kept("")
        let lines = Kept(4)
        stage.mounted.mount(
            "a.view",
            view: Made {
                ForEach(Array(1...lines.value), id: \.self) { Text("line \($0)") }
                TextField(text: words.binding)
            })
        stage.press(.tab)
        stage.type("so")
        #expect(stage.text.contains("«so"))
        lines.value = 6
        #expect(stage.text.contains("«so"))
        lines.value = 5
        #expect(stage.text.contains("«so"))
        stage.wheel(over: "line 5", lines: -4)
        #expect(!stage.text.contains("«so"))
        lines.value = 6
        #expect(!stage.text.contains("«so"))
        stage.type("o")
        #expect(stage.text.contains("«soo"))
    }

    @Test func `a view moves the focus, and knows who has it`() {
        let stage = Stage()
        let desk = DeskModel()
        stage.mounted.mount("a.desk", view: Desk(model: desk))
        // The second field is not there yet.
        desk.isNoteFocused = true
        #expect(stage.focused == "name")
        desk.hasNote = true
        #expect(stage.focused == "note")
        stage.press(.tab)
        #expect(stage.focused == "name" && desk.isNameFocused && !desk.isNoteFocused)
        let before = stage.redraws
        desk.isNoteFocused = true
        #expect(stage.redraws == before + 1)
        #expect(stage.focused == "note" && !desk.isNameFocused)
        desk.hasNote = false
        #expect(stage.focused == "name" && !desk.isNoteFocused)
        desk.hasNote = true
        #expect(stage.focused == "name")
    }

    @Test func `two fields may share a value of their focus, and one of them has it`() {
        let stage = Stage()
        let isEditing = Kept(false)
        stage.mounted.mount(
            "a.view",
            view: Made {
                Group {
                    TextField(text: .constant("")).id("one")
                    TextField(text: .constant("")).id("two")
                }
                .focused(isEditing.binding)
            })
        #expect(stage.focused == "one" && isEditing.value)
        stage.press(.tab)
        #expect(stage.focused == "two")
        let before = stage.redraws
        for _ in 0..<5 { stage.draw() }
        #expect(stage.redraws == before && stage.focused == "two")
    }

    @Test func `Enter is for what acts, and not for the way back`() {
        let stage = Stage()
        var done: [String] = []
        stage.mounted.mount(
            "a.view",
            view: Made {
                Text("a page")
                Button("Back", role: .cancel) { done.append("back") }.keyboardShortcut("b")
                    .disabled(false)
                Button("Order") { done.append("order") }.keyboardShortcut("o")
            })
        stage.press(.escape, .tab, .enter)
        #expect(done == ["back", "order"])
    }

    @Test func `the page scrolls to the focus, and arrows scroll where nothing takes them`() {
        let stage = Stage(ScreenSize(width: 20, height: 5))
        stage.mounted.mount(
            "a.view",
            view: Made {
                ForEach(1..<10) { Text("line \($0)") }
                Button("Below") {}
            })
        // The only target has the focus, but a screen begins at its top.
        #expect(stage.text.contains("line 1"))
        stage.press(.tab)
        #expect(stage.text.contains("«[ Below ]»"))
        stage.press(.home)
        #expect(stage.text.contains("line 1"))
        stage.press(.down)
        #expect(stage.text.contains("line 2") && stage.text.contains(" ↑1"))
        stage.wheel(over: "line", lines: 3)
        #expect(stage.text.contains("line 5") && stage.text.contains(" ↑4"))
    }

    @Test func `what takes every key takes neither Ctrl-C nor the way to the other sessions`() {
        let stage = Stage()
        stage.mounted.mount(
            "a.view",
            view: Made { List(["a"], id: \.self) { Text($0) }.onKeyPress { _, _ in true } })
        var lists = 0
        stage.screen.list = KeyBinding(.control("o"), "Others") { lists += 1 }
        stage.press(.control("o"), .control("c"))
        #expect((lists, stage.quits) == (1, 1))
    }

    // MARK: - Items that come and go

    /// A field and a button for each item, whose focus nobody has named.
    private struct Orders: View {
        let items: Kept<[String]>
        let texts: Kept<[String: String]>
        let press: (String) -> Void

        var body: some View {
            ForEach(items.value, id: \.self) { item in
                TextField(
                    text: Binding(
                        get: { texts.value[item] ?? "" }, set: { texts.value[item] = $0 }))
                Button("Order") { press(item) }
                Toggle("Hot", isOn: .constant(true))
            }
        }
    }

    @Test func `the focus stays with its item when others come and go before it`() {
        let stage = Stage()
        let items = Kept(["a", "b", "c"])
        let texts = Kept<[String: String]>([:])
        var pressed: [String] = []
        stage.mounted.mount(
            "a.view", view: Orders(items: items, texts: texts) { pressed.append($0) })
        stage.focus("field 2")
        stage.type("X")
        items.value.insert(contentsOf: ["new", "newer"], at: 0)
        stage.type("Y")
        #expect(stage.focused == "field 4")
        items.value.removeFirst(3)
        stage.type("Z")
        #expect(texts.value == ["b": "XYZ"])
        stage.press(.tab)
        items.value.insert("newest", at: 0)
        stage.press(.enter)
        #expect(pressed == ["b"])
        stage.press(.tab)
        items.value.removeFirst()
        #expect(stage.focused == "Hot")
        // Where the item is gone, what is at its place has the focus.
        items.value.removeFirst()
        #expect(stage.focused == "Hot" && stage.text.contains("«"))
    }

    private struct Late: View {
        let hasList: Kept<Bool>
        @FocusState private var isListFocused: Bool

        var body: some View {
            Button("First") {}.defaultFocus($isListFocused, true)
            if hasList.value {
                List(["a"], id: \.self) { Text($0) }.focused($isListFocused)
            }
        }
    }

    @Test func `the default focus goes to its element once, when that is there`() {
        let hasList = Kept(false)
        let stage = Stage()
        stage.mounted.mount("a.view", view: Late(hasList: hasList))
        #expect(stage.focused == "First")
        hasList.value = true
        #expect(stage.focused == "list")
        stage.press(.tab)
        #expect(stage.focused == "First")
        stage.mounted.mount("a.page", in: 1, "push", view: Words("a page"))
        stage.draw()
        stage.mounted.unmount(2)
        #expect(stage.focused == "First")
    }
}
