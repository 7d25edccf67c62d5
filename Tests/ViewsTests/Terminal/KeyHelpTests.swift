// KeyHelpTests: the box of keys over a screen.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct KeyHelpTests {
    private let stage = Stage()
    private let adds = Kept(0)
    private let text = Kept("")

    init() {
        stage.mounted.mount(
            "a.view",
            view: Made { [adds, text] in
                List(["Ribs", "Brisket"], id: \.self) { Text($0) }
                Button("Add") { adds.value += 1 }.keyboardShortcut("a")
                TextField("say", text: text.binding)
                Text("").keyBindings([KeyBinding("j", "Jump", isNamed: false) {}])
            })
        stage.screen.list = KeyBinding(.control("o"), "Others") {}
    }

    @Test(arguments: [Key.character("?"), .function(1)])
    func `a key shows what the keys do here, and Escape hides it`(key: Key) {
        stage.press(key)
        let help = stage.text
        for (key, words) in [("a", "Add"), ("^O", "Others"), ("j", "Jump")] {
            let line = key + String(repeating: " ", count: 14 - key.count) + words
            #expect(help.contains(line), "\(line) is not in \(help)")
        }
        // What the screen has bound is not said to do something else.
        #expect(help.contains("↑ ↓ k ") && !help.contains("k j"))
        #expect(help.contains("[Esc] Close"))
        stage.press("a")
        #expect(adds.value == 0)
        #expect(!stage.text.contains("Jump"))
        stage.press(key, .escape)
        #expect(!stage.text.contains("Jump") && stage.quits == 0)
        #expect(stage.focused == "list")
        stage.press("a")
        #expect(adds.value == 1)
    }

    @Test func `in a field a question mark is text, and F1 is help`() {
        stage.focus("field")
        stage.type("?")
        #expect(text.value == "?")
        stage.press(.function(1))
        #expect(stage.text.contains("Jump"))
        stage.type("x")
        #expect(text.value == "?" && stage.focused == "field")
        stage.type("x")
        #expect(text.value == "?x")
    }

    @Test func `a screen's own key wins`() {
        let asked = Kept(0)
        let own = Stage()
        own.mounted.mount(
            "a.view",
            view: Made { Button("Ask") { asked.value += 1 }.keyboardShortcut("?") })
        own.press("?")
        #expect(asked.value == 1)
        own.press(.function(1))
        #expect(own.text.contains("Ask") && own.text.contains("[Esc] Close"))
    }

    @Test func `on a small screen the keys are the page, which scrolls`() {
        stage.size = ScreenSize(width: 30, height: 8)
        stage.press("?")
        #expect(stage.text.contains("Keys") && stage.text.contains("↓"))
        stage.press("G")
        #expect(stage.text.contains("Quit") && stage.text.contains("↑"))
        stage.press(.control("c"))
        #expect(stage.quits == 1)
    }
}
