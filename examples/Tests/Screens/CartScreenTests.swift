// CartScreenTests: the cart on screens of three sizes, and what its keys send.

import CartContract
import NapkinCore
import Testing

@testable import CartFront
@testable import NapkinElements
@testable import NapkinTerminal

/// Notes what the view sends, and refuses what it is told to.
@MainActor
final class CartDesk: CartPresentableListener {
    private(set) var lines: [String] = []
    var refusal: CartError?

    private func note(_ line: String) throws(CartError) {
        lines.append(line)
        if let refusal { throw refusal }
    }

    @MainActor func add(_ item: CartItem) async throws(CartError) -> CartReceipt {
        try note("add \(item.quantity) × \(item.id) at \(item.price)")
        return CartReceipt(ok: true, count: 1)
    }
    @MainActor func change(quantity: Int32, of id: Int64) async throws(CartError) {
        try note("\(quantity) of \(id)")
    }
    @MainActor func apply(coupon: String) async throws(CartError) {
        try note("coupon \(coupon)")
    }
    @MainActor func didTapEmpty() async { lines.append("empty") }
}

@Suite struct CartScreenTests {
    private let desk = CartDesk()

    private static let menu = [
        CartItem(id: 1, name: "Brisket, sliced", quantity: 1, price: 18.75, tags: ["beef"]),
        CartItem(id: 2, name: "Pulled Pork", quantity: 1, price: 12.5, tags: ["pork"]),
        CartItem(id: 6, name: "Skillet Cornbread", quantity: 1, price: 4.05, tags: []),
    ]

    private static let two = CartContents(
        lines: [
            CartLine(id: 1, name: "Brisket, sliced", quantity: 2, priceCents: 1875, cents: 3750),
            CartLine(id: 6, name: "Skillet Cornbread", quantity: 1, priceCents: 405, cents: 405),
        ], coupon: "LUNCH5", subtotalCents: 4155, discountCents: 500, totalCents: 3655)

    private func shown(_ stage: Stage) async -> CartModel {
        let model = CartModel(listener: desk)
        stage.schemas = [Cart.schema]
        stage.mounted.mount(Cart.id.rawValue, view: CartScreen(model: model))
        await model.present(menu: Self.menu)
        await model.present(contents: CartContents())
        return model
    }

    @Test(arguments: goldenSizes)
    func `the cart looks like this`(size: ScreenSize) async throws {
        let stage = Stage(size)
        let golden = Golden("cart", size)
        let model = await shown(stage)
        golden.take("Nothing is in it.", stage)
        await model.present(contents: Self.two)
        golden.take("Two lines and a coupon.", stage)
        stage.press(.down)
        golden.take("The next dish of the menu.", stage)
        stage.press(.tab)
        golden.take("The cart has the focus.", stage)
        desk.refusal = .fault(
            RemoteFault(.failed, "more than 99 × Brisket, sliced is too much"))
        stage.press(.character("+"))
        golden.take("What was refused, and why.", stage)
        desk.refusal = nil
        await model.present(notice: "Not emptied: nobody was there to answer.")
        stage.press(.tab)
        stage.type("smoke")
        golden.take("A coupon is being written; a notice of an earlier question.", stage)
        stage.press(.tab)
        golden.take("The button has the focus.", stage)
        try stage.ask(1, 1, "confirmEmptying(_:)", "Empty the cart? It has 3 pieces for 41.55.")
        golden.take("Asked before it is emptied.", stage)
        try golden.check()
    }

    @Test func `Enter on a dish sends the whole item, at the price that is shown`() async {
        let stage = Stage()
        _ = await shown(stage)
        stage.press(.enter, .down, .enter)
        #expect(desk.lines == ["add 1 × 1 at 18.75", "add 1 × 2 at 12.5"])
    }

    @Test func `a line of the cart is made more, less and nothing`() async {
        let stage = Stage()
        let model = await shown(stage)
        await model.present(contents: Self.two)
        stage.press(.tab, .character("+"), .character("-"), .down, .delete)
        #expect(desk.lines == ["3 of 1", "1 of 1", "0 of 6"])
        #expect(stage.focused == "cart")
    }

    @Test func `a coupon is written and sent, letters are no keys meanwhile`() async {
        let stage = Stage()
        _ = await shown(stage)
        stage.press(.character("e"), .tab)
        #expect(stage.focused == "coupon")
        stage.type("free")
        stage.press(.enter)
        #expect(desk.lines == ["empty", "coupon free"])
        #expect(!stage.text.contains("free"))
    }

    @Test func `a coupon that is refused comes back into its field, whatever the reason`() async {
        let stage = Stage()
        _ = await shown(stage)
        stage.press(.tab)
        for refusal in [
            CartError.unknownCoupon("FREE"), .fault(RemoteFault(.gone, "the cart is gone")),
        ] {
            desk.refusal = refusal
            stage.type("fr33")
            stage.press(.enter)
            #expect(stage.text.contains("fr33"))
            #expect(stage.text.contains("\(refusal)"))
            for _ in 0..<4 { stage.press(.backspace) }
        }
    }

    @Test func `a refusal is shown until the next event`() async {
        let stage = Stage()
        _ = await shown(stage)
        desk.refusal = .notOnMenu(1)
        stage.press(.enter)
        #expect(stage.text.contains("item 1 is not on the menu"))
        desk.refusal = nil
        stage.press(.enter)
        #expect(!stage.text.contains("item 1 is not on the menu"))
    }

    @Test(arguments: [(0, "0.00"), (5, "0.05"), (1805, "18.05"), (-500, "−5.00")])
    func `cents are shown as money`(cents: Int64, text: String) {
        #expect(Money.text(cents: cents) == text)
    }

    @Test(arguments: [(4.05, "4.05"), (.nan, "?"), (.infinity, "?"), (1e300, "?")])
    func `a price is shown as money, or not at all`(price: Double, text: String) {
        #expect(Money.text(price) == text)
    }
}
