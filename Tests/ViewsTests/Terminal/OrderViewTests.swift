// OrderViewTests: the view of the README, as it stands there.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

struct OrderScreen: View {
    let menu = ["Brisket", "Ribs"]
    let order: (String, String) -> Void
    @State private var name = ""

    var body: some View {
        Text("What will it be?").bold()
        TextField("for whom", text: $name)
        List(menu, id: \.self) {
            Text($0)
        } primaryAction: {
            order(name, $0)
        }
    }
}

@Suite struct OrderViewTests {
    @Test func `a name is written, a dish chosen, and both are ordered`() {
        var orders: [String] = []
        let stage = Stage()
        stage.mounted.mount("a.order", view: OrderScreen { orders.append("\($0): \($1)") })
        stage.type("Joe")
        stage.press(.tab, .down, .enter)
        #expect(orders == ["Joe: Ribs"])
    }

    @Test func `without a screen it is text, too`() {
        #expect(
            OrderScreen { _, _ in }.render(width: 16, height: 10).map(\.text) == [
                "What will it be?", "for whom________", "Brisket         ", "Ribs",
            ])
    }
}
