// PaletteTests: commands that are found by a few letters.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct PaletteTests {
    @Test func `letters at the beginnings of words, and together, count for more`() throws {
        let match = FuzzyMatch("lo")
        #expect(match.score(of: "Reload") != nil && match.score(of: "ol") == nil)
        let login = try #require(match.score(of: "Login"))
        #expect(login > match.score(of: "Reload") ?? .max)
        #expect(login > match.score(of: "Last one") ?? .max)
        #expect(FuzzyMatch("").score(of: "x") == 0)
        #expect(FuzzyMatch(String(repeating: "x", count: 5000)).score(of: "x") == nil)
    }

    /// A view with a button for each word, in this order.
    private func stage(_ words: [String], _ pressed: Kept<[String]> = Kept([])) -> Stage {
        let stage = Stage()
        stage.mounted.mount(
            "a.view",
            view: Made {
                ForEach(Array(words.enumerated()), id: \.offset) { index, word in
                    Button(word) { pressed.value.append(word) }
                        .keyboardShortcut(Key.function(index + 1))
                }
            })
        return stage
    }

    @Test func `the best is the first, and arrows lead around to the others`() {
        let pressed = Kept<[String]>([])
        let stage = stage(["Empty cart", "Pit board", "Print bill"], pressed)
        stage.type(":pb")
        #expect(stage.text.contains("‹Pit board  F2›") && stage.text.contains("Print bill  F3"))
        #expect(!stage.text.contains("Empty cart  F1"))
        stage.press(.up)
        #expect(stage.text.contains("‹Print bill  F3›"))
        stage.press(.down, .control("n"), .enter)
        #expect(pressed.value == ["Print bill"] && !stage.text.contains("Commands"))
        // Other letters select the best again.
        stage.type(":")
        stage.press(.down, .down)
        stage.type("pit")
        stage.press(.enter)
        #expect(pressed.value == ["Print bill", "Pit board"])
        stage.type(":xyz")
        #expect(stage.text.contains("Nothing has that name."))
        stage.press(.enter)
        #expect(stage.text.contains("Commands"))
    }

    @Test func `it closes where it was opened, and its box can be clicked`() {
        let pressed = Kept<[String]>([])
        let stage = stage((1...30).map { "Dish \($0)" }, pressed)
        stage.focus("Dish 28")
        let before = stage.text
        stage.type(":d")
        stage.press(.escape)
        #expect(stage.text == before && stage.focused == "Dish 28")
        stage.type(":")
        stage.click("Dish 2  F2")
        stage.press(.enter)
        #expect(pressed.value == ["Dish 2"])
    }

    @Test func `an event is not listed beside the button that is named after it`() {
        let stage = stage(["Log in"])
        func schema(_ feature: String) -> FeatureSchema {
            FeatureSchema(
                feature: feature, presents: [],
                listens: [MethodSchema(key: "didTapLogIn()", delivery: .event)])
        }
        stage.schemas = [schema("a.view"), schema("b.view")]
        stage.mounted.mount("b.view", in: 1, view: Made { Text("another's") })
        stage.type(":login")
        #expect(stage.text.contains("Log in  F1") && !stage.text.contains("Log in  a.view"))
        // It is another one's event.
        #expect(stage.text.contains("Log in  b.view"))
    }

    @Test func `a command of the program may show a text`() {
        let stage = stage(["Order"])
        stage.screen.programs = [
            PaletteCommand("Help", detail: "of it") { [weak stage] in
                stage?.screen.show("Help") { "\($0) cells\nof text" }
            }
        ]
        stage.type(":help")
        stage.press(.enter)
        #expect(stage.text.contains("76 cells") && stage.text.contains("of text"))
        stage.press(.escape)
        #expect(!stage.text.contains("of text") && stage.text.contains("Order"))
    }

    @Test func `a question waits until the palette is closed`() throws {
        let stage = stage(["Order"])
        stage.mounted.mount("b.view", in: 1)
        stage.type(":o")
        try stage.ask(1, 1, "confirm()", 1)
        stage.type("rder")
        #expect(stage.text.contains("Commands") && stage.answers.isEmpty)
        stage.press(.escape)
        #expect(!stage.text.contains("Commands") && stage.answers.isEmpty)
    }

    @Test func `every key and every event of the contract is found`() {
        let stage = Stage()
        stage.schemas = [
            FeatureSchema(
                feature: "a.view", presents: [],
                listens: [
                    MethodSchema(key: "didTapLogin()", delivery: .event),
                    MethodSchema(
                        key: "didAdd(count:)", delivery: .event,
                        parameters: [ParameterSchema(label: "count", name: "count", type: "Int")]),
                ])
        ]
        let orders = Kept(0)
        stage.mounted.mount(
            "a.view",
            view: Made { Button("Order") { orders.value += 1 }.keyboardShortcut("o") })
        stage.press(":")
        #expect(stage.text.contains("Login  a.view") && stage.focused == "command")
        stage.type("ord")
        #expect(!stage.text.contains("Login  "))
        stage.press(.enter)
        #expect(orders.value == 1 && stage.sent.isEmpty)
        stage.type(":login")
        stage.press(.enter)
        #expect(stage.sent.map(\.method) == ["didTapLogin()"])
        // One with arguments opens its form.
        stage.type(":add")
        stage.press(.enter)
        #expect(stage.text.contains("count") && stage.sent.count == 1)
        stage.press(.escape)
        stage.type(":x")
        stage.press(.escape)
        #expect(!stage.text.contains(":x") && stage.quits == 0)
        stage.type(":quit")
        stage.press(.enter)
        #expect(stage.quits == 1)
    }

    @Test func `a screen's own colon wins, and in a field it is text`() {
        let text = Kept("")
        let pressed = Kept(0)
        let stage = Stage()
        stage.mounted.mount(
            "a.view",
            view: Made {
                TextField("say", text: text.binding)
                Button("Colon") { pressed.value += 1 }.keyboardShortcut(":")
            })
        stage.type(":")
        #expect(text.value == ":")
        stage.press(.tab, ":")
        #expect(pressed.value == 1)
    }
}
