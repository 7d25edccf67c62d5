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
        let names = ["Empty cart", "Pit board", "Print bill"].map { name in
            PaletteCommand(name, detail: "") {}
        }
        let palette = Palette(names, words: "pb", selected: 0)
        #expect(palette.rows.map(\.text) == ["Pit board   ", "Print bill  "])
        #expect(palette.stepped(by: -1) == 1)
        #expect(Palette(names, words: "xyz", selected: 3).command == nil)
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
        #expect(stage.text.contains("Login") && stage.text.contains(":▏"))
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
