// ElementMemoryTests: what a person has written and selected when a tree is built anew.

import NapkinCore
import NapkinFront
import Observation
import Testing

@testable import NapkinTerminal

/// A view with a field; made anew for each tree, as a front does.
@Observable
private final class Writing: ElementView {
    var note = TextFieldModel()

    var body: Elements {
        Button("Empty") {}.keyboardShortcut("e")
        TextField(text: note).id("note")
    }
}

/// A view with a list; made anew for each tree, too.
@Observable
private final class Choosing: ElementView {
    let items = ListModel()
    var count = 0

    var body: Elements {
        List(0..<count, selection: items) { Text("item \($0)") }.id("items")
    }
}

@Suite struct ElementMemoryTests {
    private let stage = Stage()

    /// A root with an embedded view that has a list.
    private func choosing(_ count: Int = 40, selected: Int? = nil) -> Choosing {
        let view = Choosing()
        view.count = count
        if let selected { view.items.select(selected) }
        let root = stage.mounted.mount("a.root", view: ContainerView())
        stage.mounted.mount("a.desk", in: root, slot: "desk", arguments: [0xA0], view: view)
        return view
    }

    /// The seventh item is selected, and the list is scrolled to its end.
    private func choose() {
        let view = choosing()
        stage.focus("items")
        for _ in 0..<6 { stage.press(.down) }
        stage.wheel(over: "item 6", lines: 100)
        #expect(view.items.selection == 6)
        #expect(stage.text.contains("item 39") && !stage.text.contains("item 6"))
    }

    @Test func `a list's selection and what is in sight are there in the view that comes next`() {
        choose()
        var view: Choosing?
        stage.mounted.replaceAll { view = choosing() }
        #expect(stage.text.contains("item 39") && !stage.text.contains("item 6"))
        #expect(view?.items.selection == 6)
        #expect(stage.focused == "items")
        stage.press(.down)
        #expect(view?.items.selection == 7)
        #expect(stage.text.contains("item 7"))
    }

    @Test func `a list whose items come later is where it was, as far as there are any`() {
        choose()
        var view: Choosing?
        stage.mounted.replaceAll { view = choosing(0) }
        stage.draw()
        // And once more before there are any.
        stage.mounted.replaceAll { view = choosing(0) }
        stage.draw()
        view?.count = 4
        stage.draw()
        #expect(view?.items.selection == 3)
    }

    @Test func `a selection is not kept in another worker's tree`() {
        choose()
        stage.screen.sessionBeganAnew()
        stage.draw()
        var view: Choosing?
        stage.mounted.replaceAll(after: 10) { view = choosing() }
        stage.draw()
        #expect(view?.items.selection == 0)
        #expect(stage.text.contains("item 0"))
    }

    @Test func `what the view selects is not a person's`() {
        let first = choosing()
        stage.focus("items")
        stage.press(.down)
        first.items.select(9)
        stage.draw()
        var view: Choosing?
        stage.mounted.replaceAll { view = choosing(selected: 2) }
        stage.draw()
        #expect(view?.items.selection == 2)
    }

    /// A root with an embedded view that has the field.
    @discardableResult
    private func mount(_ feature: String = "a.desk", _ arguments: [UInt8] = [0xA0]) -> Writing {
        let view = Writing()
        let root = stage.mounted.mount("a.root", view: ContainerView())
        stage.mounted.mount(feature, in: root, slot: "desk", arguments: arguments, view: view)
        return view
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
        var view: Writing?
        stage.mounted.replaceAll { view = mount() }
        stage.press(.character("R"))
        #expect(view?.note.text == "smokRe")
        #expect(stage.focused == "note")
    }

    @Test func `who writes goes on writing in another worker's tree`() {
        write()
        stage.screen.sessionBeganAnew()
        // Drawn before the tree of the other worker is there.
        stage.draw()
        var view: Writing?
        stage.mounted.replaceAll(after: 10) { view = mount() }
        stage.press(.character("e"))
        #expect(view?.note.text == "smokee")
        #expect(stage.focused == "note")
    }

    @Test func `who does not write begins at the top of another worker's tree`() {
        write()
        stage.press(.tab)
        #expect(stage.focused == "Empty")
        stage.press(.tab, .tab)
        stage.screen.sessionBeganAnew()
        var view: Writing?
        stage.mounted.replaceAll(after: 10) { view = mount() }
        #expect(stage.focused == "Empty")
        #expect(view?.note.text == "smoke")
    }

    @Test func `a text is kept while its view is covered`() {
        write()
        stage.mounted.mount("a.over", in: 2, "push", view: Made { Text("over") })
        stage.draw()
        var view: Writing?
        stage.mounted.replaceAll {
            view = mount()
            stage.mounted.mount("a.over", in: 2, "push", view: Made { Text("over") })
        }
        stage.draw()
        #expect(view?.note.text == "")
        stage.mounted.unmount(3)
        stage.draw()
        #expect(view?.note.text == "smoke")
    }

    @Test(
        arguments: [("a.other", [0xA0]), ("a.desk", [0xA1, 0x61, 0x61, 0x01])]
            as [(String, [UInt8])])
    func `a text is not another feature's, nor another dish's`(
        feature: String, arguments: [UInt8]
    ) {
        write()
        var view: Writing?
        stage.mounted.replaceAll { view = mount(feature, arguments) }
        stage.draw()
        #expect(view?.note.text == "")
        // Nor is it there when the feature comes later.
        stage.mounted.replaceAll { view = mount() }
        stage.draw()
        #expect(view?.note.text == "")
    }

    @Test func `what the view has put there is not what a person writes`() {
        let first = mount()
        stage.draw()
        stage.type("x")
        first.note.replace(with: "of the session")
        var view: Writing?
        stage.mounted.replaceAll { view = mount() }
        view?.note.replace(with: "newer")
        stage.draw()
        #expect(view?.note.text == "newer")
    }

    @Test func `a view that takes another model in the same tree has it empty`() {
        let view = mount()
        stage.focus("note")
        stage.type("smoke")
        view.note = TextFieldModel()
        stage.draw()
        #expect(view.note.text == "")
    }

    @Test func `a view that was left and entered again begins anew`() {
        write()
        stage.mounted.unmount(2)
        stage.draw()
        let view = Writing()
        stage.mounted.mount("a.desk", in: 1, slot: "desk", view: view)
        stage.draw()
        #expect(view.note.text == "")
    }
}
