// PageElementTests: a view's own tabs and windows: what is seen, what is kept, what keys do.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// Counts, and says when it comes and goes.
private struct Counter: View {
    let name: String
    var note: (String) -> Void = { _ in }
    @State private var count = 0

    var body: some View {
        Button("\(name) \(count)") { count += 1 }
            .onAppear { note("+\(name)") }
            .onDisappear { note("-\(name)") }
    }
}

@Suite struct PageElementTests {
    // MARK: - TabView

    @Test(arguments: goldenSizes)
    func `a view's own tabs`(size: ScreenSize) throws {
        let golden = Golden("own-tabs", size)
        let tab = Kept("menu")
        let stage = Stage(size) {
            Text("Smokey Joe")
            TabView(selection: tab.binding) {
                Tab("Menu", value: "menu") { Text("Ribs") }
                Tab("Orders", value: "orders") { Button("Pay") {} }
                Tab("肉", value: "niku") { Text("Niku") }
            }
        }
        golden.take("the first one", stage)
        stage.press(.right)
        golden.take("the second one, by an arrow", stage)
        tab.value = "niku"
        golden.take("the third one, by the view", stage)
        try golden.check()
    }

    @Test func `a tab keeps its state while another one is seen, and ends its tasks`() {
        let notes = Kept<[String]>([])
        let tab = Kept(1)
        let stage = Stage {
            TabView(selection: tab.binding) {
                Tab("One", value: 1) { Counter(name: "one") { notes.value.append($0) } }
                ForEach([2, 3], id: \.self) { number in
                    Tab("No \(number)", value: number) {
                        Counter(name: "\(number)") { notes.value.append($0) }
                    }
                }
            }
        }
        stage.click("one 0")
        stage.click("No 2")
        #expect(tab.value == 2)
        stage.click("2 0")
        stage.click("2 1")
        stage.press(.control("t"))
        stage.press(.control("t"))
        #expect(stage.text.contains("one 1"))
        #expect(notes.value == ["+one", "+2", "-one", "+3", "-2", "+one", "-3"])
        tab.value = 2
        #expect(stage.text.contains("2 2"))
    }

    @Test func `who is not told which tab is selected keeps it; tabs inside have their keys first`()
    {
        let stage = Stage {
            TabView {
                Tab("A") {
                    TabView {
                        Tab("a1") { Text("first") }
                        Tab("a2") { Text("second") }
                    }
                }
                Tab("B") { Text("third") }
            }
        }
        #expect(stage.text.contains("first"))
        stage.press(.control("t"))
        #expect(stage.text.contains("second"))
        stage.click("B")
        #expect(stage.text.contains("third"))
        stage.press(.control("t"))
        #expect(stage.text.contains("second"))
    }

    @Test func `a tab without a value keeps its place when another one comes before it`() {
        let hasFirst = Kept(false)
        let stage = Stage {
            TabView {
                if hasFirst.value { Tab("First") { Counter(name: "first") } }
                Tab("Second") { Counter(name: "second") }
                ForEach([7, 8], id: \.self) { number in
                    Tab("No \(number)") { Counter(name: "\(number)") }
                }
            }
        }
        stage.click("second 0")
        hasFirst.value = true
        #expect(stage.text.contains("second 1"))
        hasFirst.value = false
        stage.click("No 8")
        stage.click("8 0")
        hasFirst.value = true
        #expect(stage.text.contains("8 1"))
        stage.click("Second")
        #expect(stage.text.contains("second 1"))
        hasFirst.value = false
        #expect(stage.text.contains("second 1"))
    }

    @Test func `the router's tabs come where the body has a place for them`() {
        let stage = Stage()
        let home = stage.mounted.mount(
            "a.home",
            view: Made {
                TabView {}
                Text("below")
            })
        stage.mounted.mount("a.one", in: home, "tab", slot: "menu", view: Made { Text("Ribs") })
        stage.mounted.mount("a.two", in: home, "tab", slot: "orders", view: Made { Text("Two") })
        #expect(
            Array(stage.draw().lines.prefix(3).map(\.text)) == [" menu  orders ", "Ribs", "below"])
        stage.press(.control("t"))
        #expect(stage.draw().lines[1].text == "Two")
    }

    // MARK: - Presentations

    private static func width(of stage: Stage) -> Int? {
        let lines = stage.draw().lines.map { Array($0.text) }
        let top = lines.first { $0.contains("┌") }
        return top.flatMap { top in
            top.lastIndex(of: "┐").flatMap { end in top.firstIndex(of: "┌").map { end - $0 } }
        }
    }

    @Test(arguments: ["sheet", "modal", "palette"])
    func `a dialog grows with its content, and keeps its width until it is closed`(kind: String)
        throws
    {
        let (isShown, words) = (Kept(true), Kept("a"))
        let long = String(repeating: "word ", count: 12)
        let stage = Stage {
            Text("below").sheet("Sheet", isPresented: isShown.binding) { Text(words.value) }
                .keyBindings([KeyBinding("x", words.value) {}])
        }
        if kind != "sheet" { isShown.value = false }
        if kind == "modal" {
            stage.mounted.mount("a.modal", in: 1, "modal", view: Made { Text(words.value) })
        }
        if kind == "palette" { stage.press(":") }
        let least = try #require(Self.width(of: stage))
        words.value = long
        let most = try #require(Self.width(of: stage))
        #expect(most > least)
        words.value = "a"
        #expect(Self.width(of: stage) == most)
        stage.size.width = 50
        #expect(Self.width(of: stage) == 45)
        stage.size.width = 80
        #expect(Self.width(of: stage) == most)
        guard kind == "sheet" else { return }
        isShown.value = false
        #expect(Self.width(of: stage) == nil)
        isShown.value = true
        #expect(Self.width(of: stage) == least)
    }

    // MARK: - ScrollView

    @Test(arguments: goldenSizes)
    func `a window scrolls by keys and by the wheel`(size: ScreenSize) throws {
        let golden = Golden("scroll", size)
        let stage = Stage(size) {
            Text("above")
            ScrollView { ForEach(1..<100) { Text("line \($0)") } }
            Text("below")
        }
        golden.take("at its top", stage)
        stage.press(.down, .pageDown)
        golden.take("a page and a line on", stage)
        stage.press(.end)
        golden.take("at its end", stage)
        stage.wheel(over: "9", lines: -3)
        golden.take("by the wheel", stage)
        stage.press(.home)
        #expect(stage.text.contains("line 1\n") || stage.text.contains("line 1 "))
        try golden.check()
    }

    @Test(arguments: goldenSizes)
    func `what has the focus scrolls into sight`(size: ScreenSize) throws {
        let golden = Golden("scroll-focus", size)
        let name = Kept("")
        var pressed: [Int] = []
        let stage = Stage(size) {
            ScrollView {
                ForEach(1..<60) { number in
                    Text("dish \(number)")
                    Button("Order \(number)") { pressed.append(number) }
                }
                TextField("for whom", text: name.binding).id("name")
            }
        }
        stage.focus("Order 30")
        golden.take("the thirtieth button", stage)
        stage.press(.enter)
        stage.press(.pageUp)
        golden.take("a page up, the focus out of sight", stage)
        stage.press(.enter)
        golden.take("pressed, in sight again", stage)
        stage.focus("name")
        stage.type("Joe")
        golden.take("the field at the end", stage)
        #expect(name.value == "Joe")
        #expect(pressed == [30, 30])
        try golden.check()
    }

    @Test func `a click meets what is seen in a window, and nothing under it`() {
        var pressed: [String] = []
        let stage = Stage(ScreenSize(width: 30, height: 12)) {
            ScrollView {
                ForEach(0..<30) { number in Button("in \(number)") { pressed.append("\(number)") } }
            }
            Button("out") { pressed.append("out") }
        }
        stage.wheel(over: "in 3", lines: 4)
        stage.click("in 6")
        stage.click("out")
        #expect(pressed == ["6", "out"])
    }

    @Test func `plain text has all of a window, and no frame`() {
        let elements = SiteRoot().evaluate(
            ScrollView { ForEach(0..<50) { Text("line \($0)") } }, EnvironmentValues()
        ).elements
        let pass = LayoutPass(isLinear: true)
        let lines = elements.column.draw(in: Area(width: 20, height: 10), pass)
        #expect(lines.map(\.text) == (0..<50).map { "line \($0)" })
        #expect(pass.targets.isEmpty)
    }
}
