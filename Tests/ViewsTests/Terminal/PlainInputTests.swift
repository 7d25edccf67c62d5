// PlainInputTests: what a line does on a screen that is text.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct PlainInputTests {
    private final class Order {
        var name = ""
        var isUrgent = false
        var place = 0
        var dish: String? = "Ribs"
        var chosen: [String] = []
        var orders: [String] = []
    }

    private struct OrderForm: View {
        let order: Order

        var body: some View {
            TextField("for whom", text: Binding(order, \.name))
                .onSubmit { order.orders.append(order.name) }
            TextField("note", text: .constant(""))
            TextField("note", text: .constant(""))
            Toggle("urgent", isOn: Binding(order, \.isUrgent))
            Picker("place", selection: Binding(order, \.place), options: ["table", "counter"])
            List(["Ribs", "Brisket", "Beans"], id: \.self, selection: Binding(order, \.dish)) {
                Text($0)
            } primaryAction: {
                order.chosen.append($0)
            }
            Button("Order") { order.orders.append("button") }
            Button("Orbit") { order.orders.append("orbit") }.disabled(true)
            Button("Back", role: .cancel) { order.orders.append("back") }.keyboardShortcut("b")
        }
    }

    private let order = Order()
    private let page: StandalonePage

    init() { page = StandalonePage(OrderForm(order: order)) }

    private func input(_ lastField: FieldMemory? = nil) -> PlainInput {
        let composition = PageLayout(page.compose(), width: 80, height: 1000, isLinear: true)
        page.finish()
        return PlainInput(
            composition,
            commands: [
                PaletteCommand("Pit board", detail: "a.b") { [order] in order.orders.append("pit")
                },
                PaletteCommand("Pay", detail: "a.b") {},
                PaletteCommand("BACK", detail: "a.b") { [order] in order.orders.append("event") },
            ], lastField: lastField)
    }

    /// Says a line, which must be done.
    private func say(_ line: String) {
        guard case .done = input().take(line) else {
            Issue.record("'\(line)' was refused")
            return
        }
    }

    private func refusal(_ line: String) -> String? {
        if case .refused(let reason) = input().take(line) { reason } else { nil }
    }

    @Test func `a key, a button and an event are named, or begun`() {
        for line in ["b", "B", "esc", "Back", "ba", "order", "pit"] { say(line) }
        // An event in another spelling of the button's name is the same.
        #expect(order.orders == ["back", "back", "back", "back", "back", "button", "pit"])
        #expect(order.chosen == [])
    }

    @Test func `what no name has, and what several begin with, is refused with a reason`() {
        #expect(refusal("ord") == nil)
        #expect(refusal("xyz") == "nothing here is called 'xyz'; ? lists what can be entered")
        #expect(refusal("Orbit")?.hasPrefix("nothing here") == true)
        let several = refusal("B")
        #expect(several == nil)
        #expect(refusal("be") == nil && order.chosen == ["Beans"])
        #expect(refusal("p")?.hasSuffix("several names: Pit board, Pay") == true)
    }

    @Test func `a field is filled by its name, and Enter sends it`() throws {
        guard case .filled(let field) = input().take("for = Joe = Jack") else {
            Issue.record("the field was not filled")
            return
        }
        #expect(order.name == "Joe = Jack")
        guard case .filled = input().take("FOR WHOM=Jim") else {
            Issue.record("the field was not filled again")
            return
        }
        #expect(order.name == "Jim")
        guard case .done = input(field).take("enter") else {
            Issue.record("Enter has no effect")
            return
        }
        #expect(order.orders == ["Jim"])
        let long = String(repeating: "x", count: FieldMemory.bytesMax + 1)
        #expect(
            refusal("for whom = \(long)") == "for whom takes 65536 bytes; the rest is left out")
        #expect(order.name.utf8.count == FieldMemory.bytesMax)
    }

    @Test func `a switch and a choice take their values, and name them`() {
        say("urgent = on")
        #expect(order.isUrgent)
        say("urgent")
        #expect(!order.isUrgent)
        #expect(refusal("urgent = maybe") == "urgent is on or off, not 'maybe'")
        say("place = Counter")
        #expect(order.place == 1)
        #expect(refusal("place = roof") == "place is table or counter, not 'roof'")
    }

    @Test func `rows are chosen by name, and selected by steps`() {
        say("brisket")
        #expect(order.chosen == ["Brisket"] && order.dish == "Brisket")
        guard case .says(let lines) = input().take("down") else {
            Issue.record("the selection has not moved")
            return
        }
        #expect(lines == ["Beans"] && order.dish == "Beans")
        say("enter")
        #expect(order.chosen == ["Brisket", "Beans"])
    }

    @Test func `the page names what has no key, and each by a name of its own`() {
        #expect(
            input().hints == [
                "[for whom = …]", "[note = …]", "[note 2 = …]", "[urgent = …]", "[place = …]",
                "[Order]",
            ])
        guard case .says(let help) = input().take("?") else {
            Issue.record("there is no help")
            return
        }
        #expect(help.contains("b: Back") && help.contains("place = table or counter"))
        #expect(help.contains("Pit board (a.b)") && help.contains("Order"))
    }

    @Test(arguments: [
        ("r", Key.character("r")), ("Enter", .enter), ("ESC", .escape), ("f2", .function(2)),
        ("^o", .control("o")), ("Ctrl-O", .control("o")), ("alt-b", .alt("b")), ("space", " "),
    ])
    func `keys are called as the screen calls them`(name: String, key: Key) {
        #expect(Key(named: name) == key)
    }

    @Test(arguments: ["", "ctrl-", "f0", "f64", "^oo", "down2", "é́́x"])
    func `other words are no keys`(name: String) { #expect(Key(named: name) == nil) }
}
