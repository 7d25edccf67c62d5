// PageElementTests: a view's own tabs, pages and windows: what is seen, what is kept, what keys do.

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

/// A page with a model, of which it tells.
private struct Page: View {
    let tell: (Kept<Int>) -> Void
    @State private var model = Kept(0)

    var body: some View { Text("\(model.value)").onAppear { tell(model) } }
}

@Suite struct PageElementTests {
    private func stage(
        _ size: ScreenSize = goldenSizes[0], @ViewBuilder _ make: @escaping () -> some View
    ) -> Stage {
        let stage = Stage(size)
        stage.mounted.mount("a.view", view: Made { make() })
        return stage
    }

    // MARK: - TabView

    @Test(arguments: goldenSizes)
    func `a view's own tabs`(size: ScreenSize) throws {
        let golden = Golden("own-tabs", size)
        let tab = Kept("menu")
        let stage = stage(size) {
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
        let stage = stage {
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
        let stage = stage {
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
        let stage = stage {
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

    // MARK: - NavigationStack

    @Test(arguments: goldenSizes)
    func `a view's own pages`(size: ScreenSize) throws {
        let golden = Golden("own-pages", size)
        let stage = stage(size) {
            NavigationStack {
                Text("Come in.")
                NavigationLink("Opening hours") {
                    Text("Never on Mondays.")
                    NavigationLink("Holidays") {
                        Text("All of them.").navigationTitle("Holidays")
                    }
                }
                .keyboardShortcut("h")
                Counter(name: "visits")
            }
            .navigationTitle("Smokey Joe")
        }
        stage.press(.tab, .enter)
        golden.take("the first page", stage)
        stage.press(.character("h"))
        golden.take("pushed by its key", stage)
        stage.press(.enter)
        golden.take("a page over it", stage)
        stage.press(.escape)
        golden.take("back", stage)
        stage.press(.escape)
        golden.take("the first page, as it was", stage)
        #expect(stage.sent.isEmpty)
        try golden.check()
    }

    @Test func `a covered page keeps its state, and ends its tasks`() {
        let notes = Kept<[String]>([])
        let note = { (text: String) in notes.value.append(text) }
        let stage = stage {
            NavigationStack {
                Counter(name: "root", note: note)
                NavigationLink("Go") { Counter(name: "page", note: note) }
            }
        }
        stage.click("root 0")
        stage.click("Go")
        stage.click("page 0")
        #expect(stage.text.contains("page 1"))
        #expect(notes.value == ["+root", "+page", "-root"])
        stage.press(.escape)
        #expect(stage.text.contains("root 1"))
        #expect(stage.focused == "Go")
        #expect(notes.value == ["+root", "+page", "-root", "+root", "-page"])
        stage.click("Go")
        // A page that was left begins anew.
        #expect(stage.text.contains("page 0"))
    }

    @Test func `a path says which pages there are, and is written by links and by Escape`() {
        let path = Kept<[Int]>([])
        let isAsking = Kept(false)
        let stage = stage {
            NavigationStack(path: path.binding) {
                NavigationLink("One", value: 1)
                Text("root")
                    .navigationDestination(for: Int.self) { number in
                        Text("page \(number)")
                        NavigationLink("More", value: number + 1)
                    }
                    .navigationDestination(isPresented: isAsking.binding) { Text("a question") }
            }
        }
        stage.click("One")
        stage.click("More")
        #expect(path.value == [1, 2])
        #expect(stage.text.contains("page 2"))
        stage.press(.escape)
        #expect(path.value == [1])
        path.value = [7, 8, 9]
        #expect(stage.text.contains("page 9"))
        path.value = []
        #expect(stage.text.contains("root"))
        isAsking.value = true
        #expect(stage.text.contains("a question"))
        stage.press(.escape)
        #expect(!isAsking.value)
        #expect(stage.text.contains("root"))
    }

    @Test func `a page whose link is gone goes too, one without a destination says so`() {
        let isOpen = Kept(true)
        let path = Kept(NavigationPath())
        let stage = stage {
            NavigationStack(path: path.binding) {
                if isOpen.value { NavigationLink("Go") { Text("page") } }
                Text("root")
            }
        }
        stage.click("Go")
        #expect(stage.text.contains("page"))
        isOpen.value = false
        #expect(stage.text.contains("root"))
        path.value.append("x")
        #expect(stage.text.contains("There is no page for String."))
        stage.press(.escape)
        #expect(path.value.isEmpty)
    }

    @Test func `what was left of a thousand pages is nothing`() {
        weak var last: Kept<Int>?
        let stage = stage {
            NavigationStack { NavigationLink("Go") { Page { last = $0 } } }
        }
        for _ in 0..<1000 {
            stage.press(.enter)
            stage.draw()
            #expect(last != nil)
            stage.press(.escape)
            stage.draw()
            #expect(last == nil)
        }
    }

    @Test func `a page over a page of the worker is left before it`() {
        let stage = Stage()
        let home = stage.mounted.mount("a.home", view: Made("Home") { Text("home") })
        let pushed = stage.mounted.mount(
            "a.page", in: home, "push",
            view: Made("Page") {
                NavigationStack {
                    NavigationLink("Go") { Text("own").navigationTitle("Own") }
                }
            })
        stage.press(.enter)
        #expect(stage.draw().lines[0].text == "Home › Page › Own")
        stage.press(.escape)
        #expect(stage.sent.isEmpty)
        stage.press(.escape)
        #expect(stage.sent.map(\.node) == [pushed])
    }

    // MARK: - ScrollView

    @Test(arguments: goldenSizes)
    func `a window scrolls by keys and by the wheel`(size: ScreenSize) throws {
        let golden = Golden("scroll", size)
        let stage = stage(size) {
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
        let stage = stage(size) {
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
        let stage = stage(ScreenSize(width: 30, height: 12)) {
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
