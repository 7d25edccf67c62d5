// OrderViewTests: the view of the README, as it stands there.

import Testing

@testable import NapkinTerminal

final class OrderView: ElementView {
    private let name = TextFieldModel()
    private let dishes = ListModel()
    private let menu = ["Brisket", "Ribs"]
    var ordered: (String, String) -> Void = { _, _ in }

    var body: Elements {
        Text("What will it be?").bold()
        TextField("for whom", text: name)
        List(menu, selection: dishes) {
            Text($0)
        } primaryAction: {
            self.order($0)
        }
    }

    private func order(_ index: Int) { ordered(name.text, menu[index]) }
}

@Suite struct OrderViewTests {
    @Test func `a name is written, a dish chosen, and both are ordered`() {
        let view = OrderView()
        var orders: [String] = []
        view.ordered = { orders.append("\($0): \($1)") }
        let stage = Stage()
        stage.mounted.mount("a.order", view: view)
        stage.type("Joe")
        stage.press(.tab, .down, .enter)
        #expect(orders == ["Joe: Ribs"])
    }

    @Test func `without a screen it is text, too`() {
        #expect(
            OrderView().render(width: 16, height: 10).map(\.text) == [
                "What will it be?", "for whom________", "Brisket         ", "Ribs",
            ])
    }
}
