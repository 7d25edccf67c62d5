// FieldKeyTests: which keys work while a person writes, and what is shown of that.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct FieldKeyTests {
    private let stage = Stage()
    private let text = Kept("")
    private let stops = Kept(0)

    init() {
        stage.mounted.mount(
            "a.view",
            view: Made { [text, stops] in
                TextField("say", text: text.binding)
                Button("Stop") { stops.value += 1 }.keyboardShortcut("r")
                Text("").keyBindings([
                    KeyBinding(.character("n"), "New") {}, KeyBinding(.function(2), "Save") {},
                ])
            })
    }

    /// The role in which a key is shown.
    private func role(of key: String) -> TextRole? {
        stage.draw().lines.flatMap(\.spans).first { $0.text == "[\(key)]" }?.role
    }

    private func keys(of stage: Stage) -> String {
        stage.draw().lines.dropLast().last?.text ?? ""
    }

    @Test func `keys that are letters are dim while a field takes them`() {
        #expect(stage.focused == "field")
        #expect(role(of: "r") == .secondary && role(of: "n") == .secondary)
        #expect(role(of: "F2") == .key && role(of: "^C") == .key && role(of: "Esc") == .key)
        stage.type("r")
        #expect(text.value == "r" && stops.value == 0)
        stage.press(.tab)
        #expect(role(of: "n") == .key)
        stage.type("r")
        #expect(text.value == "r" && stops.value == 1)
    }

    @Test func `Escape leaves a field, and Tab or a click leads back`() {
        stage.press(.escape)
        #expect(stage.focused == nil && stage.page?.caret == nil)
        #expect(role(of: "r") == .key && role(of: "n") == .key && role(of: "Esc") == nil)
        stage.type("r")
        #expect(text.value.isEmpty && stops.value == 1)
        stage.press(.backTab, .backTab)
        #expect(stage.focused == "field")
        stage.press(.escape, .down)
        #expect(stage.focused == "Stop")
        stage.click("say")
        stage.type("r")
        #expect(text.value == "r")
    }

    @Test func `what works is named rather than what does not`() {
        stage.size = ScreenSize(width: 44, height: 10)
        #expect(keys(of: stage) == "[F2] Save  [Esc] Leave field  [^C] Quit")
        stage.press(.escape)
        #expect(keys(of: stage) == "[n] New  [F2] Save  [q] Quit")
    }

    @Test func `a question that was put aside is named before the letters of a view`() throws {
        let stage = Stage(ScreenSize(width: 40, height: 12))
        stage.mounted.mount(
            "a.view",
            view: Made {
                Text("Dinner").keyBindings([
                    KeyBinding(.character("n"), "New order") {},
                    KeyBinding(.character("s"), "Serve") {},
                ])
            })
        try stage.ask(7, 1, "confirm(_:)", "Salt?")
        #expect(stage.text.contains("[Esc]"))
        stage.press(.escape)
        #expect(keys(of: stage) == "[n] New order  [F2] 1 question  [q] Quit")
        stage.press(.function(2))
        #expect(!stage.text.contains("[F2]") && stage.text.contains("[Esc]"))
    }

    @Test func `the selected row stays in sight where there is less room`() {
        let stage = Stage()
        stage.mounted.mount(
            "a.view", view: Made { List(1...100, id: \.self) { Text("row \($0).") } })
        for _ in 1...15 { stage.press(.down) }
        for height in [24, 12, 6, 30] {
            stage.size = ScreenSize(width: 80, height: height)
            #expect(stage.text.contains("«row 16.»"), "\(height)")
        }
        // A person who looks elsewhere goes on looking there.
        stage.wheel(over: "row 16.", lines: 20)
        stage.size = ScreenSize(width: 80, height: 10)
        #expect(!stage.text.contains("row 16."))
    }

    @Test func `a text that does not fit is cut, and that is said`() {
        stage.type("ab")
        stage.press(.left)
        stage.paste(String(repeating: "é", count: FieldMemory.bytesMax))
        #expect(text.value.utf8.count == FieldMemory.bytesMax)
        #expect(text.value.hasPrefix("aé") && text.value.hasSuffix("éb"))
        #expect(stage.session.notice.text?.hasPrefix("the field is full") == true)
        stage.type("c")
        #expect(stage.session.notice.text?.hasPrefix("the field is full") == true)
        #expect(!text.value.contains("c"))
    }
}
