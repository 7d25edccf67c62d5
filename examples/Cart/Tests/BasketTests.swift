// BasketTests: sums of cents, coupons, and the limits of a cart.

import CartContract
import Testing

@testable import CartFeature

@Suite struct BasketTests {
    private func item(_ id: Int64, _ quantity: Int32) -> CartItem {
        CartItem(id: id, name: "item \(id)", quantity: quantity, price: 0, tags: [])
    }

    /// A basket with one line of that subtotal.
    private func basket(_ cents: Int64, _ coupon: Coupon? = nil) throws -> Basket {
        var basket = Basket()
        try basket.add(item(1, 1), priceCents: cents)
        basket.use(coupon)
        return basket
    }

    @Test func `an empty basket costs nothing`() {
        #expect(Basket().contents == CartContents())
        #expect(Basket().count == 0)
    }

    @Test func `lines are summed up in cents, and an item added twice is one line`() throws {
        var basket = Basket()
        try basket.add(item(1, 3), priceCents: 1875)
        try basket.add(item(2, 1), priceCents: 405)
        try basket.add(item(1, 1), priceCents: 1875)
        #expect(basket.contents.lines.map(\.id) == [1, 2])
        #expect(basket.contents.lines.map(\.quantity) == [4, 1])
        #expect(basket.contents.lines.map(\.cents) == [7500, 405])
        #expect(basket.contents.totalCents == 7905)
        #expect(basket.count == 5)
    }

    @Test func `a price that has changed is the price of all pieces`() throws {
        var basket = Basket()
        try basket.add(item(1, 2), priceCents: 1000)
        try basket.add(item(1, 1), priceCents: 900)
        #expect(basket.subtotalCents == 2700)
    }

    @Test(
        arguments: [
            (10, 1999, 199), (10, 9, 0), (10, 10, 1), (33, 100, 33), (100, 1999, 1999),
            (0, 1999, 0),
        ] as [(Int64, Int64, Int64)])
    func `a percentage is rounded down to a whole cent`(
        percent: Int64, subtotal: Int64, discount: Int64
    ) throws {
        let contents = try basket(subtotal, Coupon(code: "P", discount: .percent(percent)))
            .contents
        #expect(contents.discountCents == discount)
        #expect(contents.totalCents == subtotal - discount)
        #expect(contents.subtotalCents == subtotal)
        #expect(contents.coupon == "P")
    }

    @Test(arguments: [(1999, 0), (2000, 500), (2001, 500)] as [(Int64, Int64)])
    func `a coupon counts from its least sum on`(subtotal: Int64, discount: Int64) throws {
        let coupon = Coupon(code: "C", discount: .cents(500), fromCents: 2000)
        #expect(try basket(subtotal, coupon).discountCents == discount)
    }

    @Test func `nothing is paid back`() throws {
        let contents = try basket(300, Coupon(code: "C", discount: .cents(500))).contents
        #expect(contents.discountCents == 300)
        #expect(contents.totalCents == 0)
    }

    @Test func `a quantity is set, and nothing of an item is no line`() throws {
        var basket = try basket(250)
        try basket.change(quantity: 4, of: 1)
        #expect(basket.subtotalCents == 1000)
        try basket.change(quantity: 0, of: 1)
        #expect(basket.lines.isEmpty)
        #expect(throws: CartError.notInCart(1)) { try basket.change(quantity: 1, of: 1) }
    }

    @Test func `a line has 1 to 99 pieces`() throws {
        var basket = Basket()
        for quantity: Int32 in [0, -1, .min] {
            #expect(throws: CartError.quantity(quantity)) {
                try basket.add(item(1, quantity), priceCents: 1)
            }
        }
        for quantity: Int32 in [100, .max] {
            #expect(throws: CartError.tooMany(of: "item 1")) {
                try basket.add(item(1, quantity), priceCents: 1)
            }
        }
        try basket.add(item(1, 98), priceCents: 1)
        try basket.add(item(1, 1), priceCents: 1)
        let full = basket
        #expect(throws: CartError.tooMany(of: "item 1")) {
            try basket.add(item(1, 1), priceCents: 1)
        }
        #expect(throws: CartError.tooMany(of: "item 1")) {
            try basket.change(quantity: 100, of: 1)
        }
        #expect(throws: CartError.quantity(-1)) { try basket.change(quantity: -1, of: 1) }
        #expect(basket == full)
        try basket.change(quantity: 99, of: 1)
        #expect(basket == full)
    }

    @Test func `a full basket of the dearest items still has a sum`() throws {
        var basket = Basket()
        for id in 1...Int64(Basket.linesMax) {
            try basket.add(item(id, Basket.quantityMax), priceCents: Menu.centsMax)
        }
        #expect(throws: CartError.tooManyLines) { try basket.add(item(0, 1), priceCents: 1) }
        basket.use(Coupon(code: "P", discount: .percent(100)))
        #expect(basket.subtotalCents == 64 * 99 * 1_000_000)
        #expect(basket.contents.totalCents == 0)
    }

    @Test func `emptying takes the coupon along`() throws {
        var basket = try basket(300, Coupon(code: "C", discount: .cents(1)))
        basket.empty()
        #expect(basket == Basket())
    }
}

@Suite struct MenuTests {
    @Test(
        arguments: [
            (0, 0), (0.01, 1), (0.1 + 0.2, 30), (18.75, 1875), (4.05, 405), (9.95, 995),
            (1.005, 100),
            (10_000, 1_000_000), (10_000.01, nil), (-0.01, nil), (.nan, nil), (.infinity, nil),
            (1e300, nil),
        ] as [(Double, Int64?)])
    func `a price is whole cents, or none`(price: Double, cents: Int64?) {
        #expect(Menu.cents(price) == cents)
    }

    @Test func `what is ordered must be on the menu, at the price that was seen`() throws {
        let menu = Menu.standard
        var order = try #require(menu.items.first)
        order.name = "what a front calls it"
        let (item, cents) = try menu.dish(of: order)
        #expect(cents == 1875)
        #expect(item.name == "Brisket, sliced")
        order.price = 1.00
        let error = try #require(throws: CartError.self) { _ = try menu.dish(of: order) }
        #expect(
            "\(error)" == "Brisket, sliced costs 18.75: look at the menu, and add it again")
        order.id = 99
        #expect(throws: CartError.notOnMenu(99)) { _ = try menu.dish(of: order) }
    }

    @Test func `every dish has a price, and a number of its own`() {
        let items = Menu.standard.items
        #expect(items.allSatisfy { Menu.cents($0.price) != nil && $0.quantity == 1 })
        #expect(Set(items.map(\.id)).count == items.count)
        #expect(items.count <= Basket.linesMax)
    }
}
