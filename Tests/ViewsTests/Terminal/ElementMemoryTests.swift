// ElementMemoryTests: what a person has written and selected when a tree is built anew.

import NapkinCore
import NapkinFront
import Observation
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// What a presenter knows; made anew for each tree, as a front does.
@Observable
private final class WritingModel {
    var note = ""
}

/// A view with a field.
private struct Writing: View {
    let model: WritingModel

    var body: some View {
        Button("Empty") {}.keyboardShortcut("e")
        TextField(text: Binding(model, \.note)).id("note")
    }
}

/// What a presenter of items knows; made anew for each tree, too.
@Observable
private final class ChoosingModel {
    var selection: Int?
    var count = 0
}

/// A view with a list.
private struct Choosing: View {
    let model: ChoosingModel

    var body: some View {
        List(0..<model.count, id: \.self, selection: Binding(model, \.selection)) {
            Text("item \($0)")
        }
        .id("items")
    }
}

@Suite struct ElementMemoryTests {
    private let stage = Stage()

    /// A root with an embedded view that has a list.
    private func choosing(_ count: Int = 40, selected: Int? = nil) -> ChoosingModel {
        let model = ChoosingModel()
        model.count = count
        model.selection = selected
        let root = stage.mounted.mount("a.root", view: EmptyView())
        stage.mounted.mount("a.desk", in: root, slot: "desk", view: Choosing(model: model))
        return model
    }

    /// The seventh item is selected, and the list is scrolled to its end.
    private func choose() {
        let view = choosing()
        stage.focus("items")
        for _ in 0..<6 { stage.press(.down) }
        stage.wheel(over: "item 6", lines: 100)
        #expect(view.selection == 6)
        #expect(stage.text.contains("item 39") && !stage.text.contains("item 6"))
    }

    @Test func `a list's selection and what is in sight are there in the view that comes next`() {
        choose()
        var view: ChoosingModel?
        stage.mounted.replaceAll { view = choosing() }
        #expect(stage.text.contains("item 39") && !stage.text.contains("item 6"))
        #expect(view?.selection == 6)
        #expect(stage.focused == "items")
        stage.press(.down)
        #expect(view?.selection == 7)
        #expect(stage.text.contains("item 7"))
    }

    @Test func `a list whose items come later is where it was, as far as there are any`() {
        choose()
        var view: ChoosingModel?
        stage.mounted.replaceAll { view = choosing(0) }
        stage.draw()
        // And once more before there are any.
        stage.mounted.replaceAll { view = choosing(0) }
        stage.draw()
        view?.count = 4
        stage.draw()
        #expect(view?.selection == 3)
    }

    @Test func `a selection is not kept in another worker's tree`() {
        choose()
        stage.session.epochChanged()
        stage.draw()
        var view: ChoosingModel?
        stage.mounted.replaceAll(after: 10) { view = choosing() }
        stage.draw()
        #expect(view?.selection == 0)
        #expect(stage.text.contains("item 0"))
    }

    @Test func `what the view selects is not a person's`() {
        let first = choosing()
        stage.focus("items")
        stage.press(.down)
        first.selection = 9
        stage.draw()
        var view: ChoosingModel?
        stage.mounted.replaceAll { view = choosing(selected: 2) }
        stage.draw()
        #expect(view?.selection == 2)
    }

    /// A root with an embedded view that has the field.
    @discardableResult
    private func mount(
        _ feature: String = "a.desk", _ arguments: [UInt8] = [0xA0]
    ) -> WritingModel {
        let model = WritingModel()
        let root = stage.mounted.mount("a.root", view: EmptyView())
        stage.mounted.mount(
            feature, in: root, slot: "desk", arguments: arguments, view: Writing(model: model))
        return model
    }

    /// Writes `smoke`, with the cursor before the last letter.
    private func write() {
        mount()
        stage.focus("note")
        stage.type("smoke")
        stage.press(.left)
        #expect(stage.text.contains("«smoke"))
    }

    @Test func `a text, its cursor and the focus are there in the view that comes next`() {
        write()
        var view: WritingModel?
        stage.mounted.replaceAll { view = mount() }
        stage.press(.character("R"))
        #expect(view?.note == "smokRe")
        #expect(stage.focused == "note")
    }

    @Test func `who writes goes on writing in another worker's tree`() {
        write()
        stage.session.epochChanged()
        // Drawn before the tree of the other worker is there.
        stage.draw()
        var view: WritingModel?
        stage.mounted.replaceAll(after: 10) { view = mount() }
        stage.press(.character("e"))
        #expect(view?.note == "smokee")
        #expect(stage.focused == "note")
    }

    @Test func `who does not write begins at the top of another worker's tree`() {
        write()
        stage.press(.tab)
        #expect(stage.focused == "Empty")
        stage.press(.tab, .tab)
        stage.session.epochChanged()
        var view: WritingModel?
        stage.mounted.replaceAll(after: 10) { view = mount() }
        #expect(stage.focused == "Empty")
        #expect(view?.note == "smoke")
    }

    @Test func `a text is kept while its view is covered`() {
        write()
        stage.mounted.mount("a.over", in: 2, "push", view: Made { Text("over") })
        stage.draw()
        var view: WritingModel?
        stage.mounted.replaceAll {
            view = mount()
            stage.mounted.mount("a.over", in: 2, "push", view: Made { Text("over") })
        }
        stage.mounted.unmount(3)
        stage.draw()
        #expect(view?.note == "smoke")
    }

    @Test(
        arguments: [("a.other", [0xA0]), ("a.desk", [0xA1, 0x61, 0x61, 0x01])]
            as [(String, [UInt8])])
    func `a text is not another feature's, nor another dish's`(
        feature: String, arguments: [UInt8]
    ) {
        write()
        var view: WritingModel?
        stage.mounted.replaceAll { view = mount(feature, arguments) }
        stage.draw()
        #expect(view?.note == "")
        // Nor is it there when the feature comes later.
        stage.mounted.replaceAll { view = mount() }
        stage.draw()
        #expect(view?.note == "")
    }

    @Test func `what the view has put there is not what a person writes`() {
        let first = mount()
        stage.draw()
        stage.type("x")
        first.note = "of the session"
        stage.draw()
        var view: WritingModel?
        stage.mounted.replaceAll { view = mount() }
        view?.note = "newer"
        stage.draw()
        #expect(view?.note == "newer")
    }

    @Test func `a view that was left and entered again begins anew`() {
        write()
        stage.mounted.unmount(2)
        stage.draw()
        let view = WritingModel()
        stage.mounted.mount("a.desk", in: 1, slot: "desk", view: Writing(model: view))
        stage.draw()
        #expect(view.note == "")
    }

    @Test func `a tree deeper than any screen is left out from there on`() {
        let view = Made { EmptyView() }
        var node = stage.mounted.mount("a.root", view: view)
        for _ in 0..<500 {
            for presentation in ["embed", "push", "modal", "tab"] {
                node = stage.mounted.mount("a.node", in: node, presentation, view: view)
            }
        }
        #expect(stage.mounted.tree.count == 1001)
        stage.draw()
    }

    @Test func `a screen that is left ends the tasks of its views`() async {
        let ended = Kept(false)
        stage.mounted.mount(
            "a.root",
            view: Made {
                Text("root").task {
                    while !Task.isCancelled { await Task.yield() }
                    ended.value = true
                }
            })
        stage.draw()
        await Task.yield()
        stage.screen.close()
        while !ended.value { await Task.yield() }
    }

    @Test func `nothing is left of ten thousand pages that were pushed and popped`() {
        let root = stage.mounted.mount("a.root", view: Made("Root") { Text("root") })
        for _ in 0..<10_000 {
            let page = stage.mounted.mount("a.page", in: root, "push", view: Page())
            stage.draw()
            stage.mounted.unmount(page)
            stage.draw()
        }
        #expect(Page.Content.alive == 0)
    }
}

/// A page with content that is counted.
private struct Page: View {
    final class Content {
        static var alive = 0

        init() { Self.alive += 1 }

        isolated deinit { Self.alive -= 1 }
    }

    @State private var content = Content()
    @State private var text = ""

    var body: some View {
        Text("a page")
        TextField("note", text: $text)
        List(0..<20, id: \.self) { Text("row \($0)") }
    }
}
