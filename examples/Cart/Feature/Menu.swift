// Menu: the dishes that can be ordered, and their prices.
//
// Invariant  every price is between 0 and `centsMax`.

import CartContract

/// The dishes. Prices cross as the menu shows them, and are calculated in cents.
struct Menu: Sendable {
    /// The price of one piece. Chosen: more is a mistake in the unit.
    static let centsMax: Int64 = 1_000_000

    let items: [CartItem]

    /// Returns the ordered dish, as the menu has it, and the price of a piece; throws unless the
    /// order has the menu's current price.
    func dish(of order: CartItem) throws(CartError) -> (item: CartItem, cents: Int64) {
        guard let item = items.first(where: { $0.id == order.id }),
            let cents = Self.cents(item.price)
        else { throw .notOnMenu(order.id) }
        guard Self.cents(order.price) == cents else {
            throw .price(of: item.name, isCents: cents)
        }
        return (item, cents)
    }

    /// Returns whole cents; `nil` for a number that is not a price.
    static func cents(_ price: Double) -> Int64? {
        // This is also false for NaN.
        guard price >= 0, price <= Double(centsMax) / 100 else { return nil }
        return Int64((price * 100).rounded())
    }

    static let standard = Menu(items: [
        item(1, "Brisket, sliced", 18.75, "beef"),
        item(2, "Pulled Pork", 12.50, "pork"),
        item(3, "St. Louis Ribs", 21.00, "pork"),
        item(4, "Burnt Ends", 16.25, "beef"),
        item(5, "Smoked Sausage", 9.95, "pork"),
        item(6, "Skillet Cornbread", 4.05, "side"),
    ])

    private static func item(
        _ id: Int64, _ name: String, _ price: Double, _ tag: String
    ) -> CartItem {
        CartItem(id: id, name: name, quantity: 1, price: price, tags: ["smokebox", tag])
    }
}
