// PushedChildTests: the worker's pages in a view's stack, over its own pages.

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

private enum Aside: Feature {
    static let id: FeatureID = "a.aside"
}

@Suite struct PushedChildTests {
    private let notes = Kept<[String]>([])
    private let command = Kept("")

    /// A line that stays, above a stack.
    private func desk(_ stage: Stage, @ViewBuilder _ root: @escaping () -> some View) -> UInt32 {
        let command = command
        return stage.mounted.mount(
            "a.desk",
            view: Made("Desk") {
                TextField("a command", text: command.binding).id("command")
                NavigationStack { root() }
                Text("below").foregroundStyle(.secondary)
            })
    }

    @discardableResult
    private func push(
        _ stage: Stage, _ name: String, in parent: UInt32, @ViewBuilder _ more: () -> some View
    ) -> UInt32 {
        let more = AnyView(more())
        return stage.mounted.mount(
            "a.page", in: parent, "push", slot: name,
            view: Made(name) {
                Button("Look") {}.keyboardShortcut("l")
                more
            })
    }

    @Test(arguments: goldenSizes)
    func `a pushed page comes into the stack, and what is beside it stays`(size: ScreenSize) throws
    {
        let golden = Golden("pushed", size)
        let stage = Stage(size)
        let home = desk(stage) {
            Text("Come in.")
            NavigationLink("Opening hours") { Text("Never on Mondays.").navigationTitle("Hours") }
                .keyboardShortcut("h")
        }
        golden.take("the stack's root", stage)
        stage.press(.tab, .enter)
        golden.take("its own page", stage)
        let page = push(stage, "Pit Board", in: home) { Text("3 smoking") }
        golden.take("a pushed page over that", stage)
        #expect(stage.focused == "Look")
        let modal = stage.mounted.mount(
            "a.sure", in: page, "modal", slot: "sure",
            view: Made("Sure?") { Button("Yes") {} })
        golden.take("a modal over the page", stage)
        stage.mounted.unmount(modal)
        stage.press(.backTab)
        stage.type("lh")
        golden.take("written beside it", stage)
        // It leaves the field, then the page.
        stage.press(.escape)
        #expect(stage.sent.isEmpty && stage.focused == nil)
        stage.press(.escape)
        #expect(stage.sent.map(\.node) == [page])
        #expect(stage.sent.map(\.method) == ["dismiss"])
        stage.mounted.unmount(page)
        golden.take("the own page again", stage)
        stage.press(.escape, .escape)
        golden.take("the root again", stage)
        #expect(stage.sent.count == 1)
        #expect(command.value == "lh")
        try golden.check()
    }

    @Test func `a root under a pushed page keeps its state, and ends its tasks`() {
        let stage = Stage()
        let note = { (text: String) in notes.value.append(text) }
        let home = desk(stage) { Counter(name: "root", note: note) }
        func noted() -> Set<String> {
            defer { notes.value = [] }
            return Set(notes.value)
        }
        stage.click("root 0")
        #expect(stage.focused == "root 1")
        #expect(noted() == ["+root"])
        let page = push(stage, "Page", in: home) { Counter(name: "page", note: note) }
        #expect(!stage.text.contains("root"))
        #expect(noted() == ["-root", "+page"])
        let next = push(stage, "Next", in: home) { Counter(name: "next", note: note) }
        #expect(!stage.text.contains("page"))
        #expect(noted() == ["-page", "+next"])
        stage.mounted.unmount(next)
        #expect(stage.text.contains("page 0"))
        #expect(noted() == ["-next", "+page"])
        stage.mounted.unmount(page)
        #expect(stage.text.contains("root 1"))
        #expect(stage.focused == "root 1")
        #expect(noted() == ["-page", "+root"])
    }

    @Test func `of two stacks the first has the page, and without one it covers the view`() {
        let stage = Stage()
        let hasStacks = Kept(true)
        let home = stage.mounted.mount(
            "a.home",
            view: Made {
                if hasStacks.value { NavigationStack { Text("first") } }
                NavigationStack { Text("second") }
                Text("beside")
            })
        #expect(stage.text.contains("first"))
        let page = push(stage, "Page", in: home) { Text("pushed") }
        let lines = stage.draw().lines.map(\.text)
        #expect(Array(lines.prefix(5)) == ["Page", "[l] Look", "pushed", "second", "beside"])
        // The next one has it when the first is gone.
        hasStacks.value = false
        #expect(
            Array(stage.draw().lines.prefix(4).map(\.text)) == [
                "Page", "[l] Look", "pushed", "beside",
            ])
        stage.mounted.unmount(page)
        #expect(Array(stage.draw().lines.prefix(2).map(\.text)) == ["second", "beside"])
        let bare = stage.mounted.mount("a.bare", in: home, "push", view: Words("bare"))
        stage.mounted.mount("a.over", in: bare, "push", view: Words("over"))
        #expect(Array(stage.draw().lines.prefix(2).map(\.text)) == ["over", "beside"])
    }

    @Test func `a page stays with its stack while another tab is selected`() {
        let stage = Stage()
        let note = { (text: String) in notes.value.append(text) }
        let home = stage.mounted.mount(
            "a.home",
            view: Made("Home") {
                TabView {
                    Tab("Pit") { NavigationStack { Text("the pit") } }
                    Tab("Bar") { NavigationStack { Text("the bar") } }
                }
            })
        let page = push(stage, "Page", in: home) { Counter(name: "page", note: note) }
        stage.click("page 0")
        #expect(stage.draw().lines[0].text == "Home › Page")
        stage.click("Bar")
        #expect(stage.text.contains("the bar"))
        #expect(!stage.text.contains("page 1"))
        #expect(stage.draw().lines[0].text == "Home")
        // Nothing that is not seen has keys.
        stage.press(.escape, .character("l"))
        #expect(stage.sent.isEmpty)
        stage.click("Pit")
        #expect(stage.text.contains("page 1"))
        #expect(notes.value == ["+page", "-page", "+page"])
        stage.press(.escape)
        #expect(stage.sent.map(\.node) == [page])
        // Where no stack that is seen has it, a page covers the view.
        stage.mounted.unmount(page)
        stage.draw()
        stage.click("Bar")
        push(stage, "Other", in: home) { Text("other") }
        #expect(stage.text.contains("other"))
        #expect(!stage.text.contains("the bar"))
        #expect(stage.text.contains("Pit"))
    }

    @Test func `an embedded child on a covered page, or in a tab that is not seen, is not seen`() {
        let stage = Stage()
        let note = { (text: String) in notes.value.append(text) }
        let tab = Kept(1)
        let home = stage.mounted.mount(
            "a.home",
            view: Made {
                NavigationStack {
                    TabView(selection: tab.binding) {
                        Tab("One", value: 1) { ChildView(Aside.self) }
                        Tab("Two", value: 2) { Text("two") }
                    }
                }
            })
        stage.mounted.mount(
            "a.aside", in: home,
            view: Made {
                Counter(name: "aside", note: note)
                Text("").keyBindings([key("z", "Zap")])
            })
        stage.click("aside 0")
        stage.click("Two")
        #expect(!stage.text.contains("aside"))
        #expect(!stage.text.contains("Zap"))
        stage.click("One")
        #expect(stage.text.contains("aside 1"))
        let page = push(stage, "Page", in: home) { Text("pushed") }
        #expect(!stage.text.contains("aside"))
        #expect(!stage.text.contains("Zap"))
        stage.mounted.unmount(page)
        #expect(stage.text.contains("aside 1"))
        #expect(notes.value == ["+aside", "-aside", "+aside", "-aside", "+aside"])
    }

    @Test func `the innermost page is left first, whatever the view around it says`() {
        let stage = Stage()
        let home = stage.mounted.mount("a.home", view: Made("Home") { Text("home") })
        var left = 0
        let desk = stage.mounted.mount(
            "a.desk", in: home, "push",
            view: Made("Desk") {
                Button("Leave", role: .cancel) { left += 1 }.keyboardShortcut(.escape)
                NavigationStack { Text("root") }
            })
        let page = push(stage, "Page", in: desk) { EmptyView() }
        #expect(stage.draw().lines[0].text == "Home › Desk › Page")
        stage.press(.escape)
        #expect(stage.sent.map(\.node) == [page])
        stage.mounted.unmount(page)
        stage.press(.escape)
        #expect(left == 1)
        #expect(stage.sent.count == 1)
    }

    @Test func `a tree that comes again has its page in the same stack`() {
        let stage = Stage()
        func mount() {
            let home = desk(stage) { Counter(name: "root") }
            push(stage, "Page", in: home) { Counter(name: "page") }
        }
        mount()
        stage.click("page 0")
        stage.mounted.replaceAll { mount() }
        #expect(stage.text.contains("page 1"))
        #expect(!stage.text.contains("root"))
        #expect(stage.text.contains("below"))
    }
}
