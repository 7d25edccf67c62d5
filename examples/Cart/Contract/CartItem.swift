// CartItem: what is put into a cart, and what is said to that.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.
//
// These two are also what napkin-bench sends and answers: what is measured is what is shown.

public import NapkinCore

/// Something to eat, as the menu has it and as an order names it.
@Message
public struct CartItem: Hashable, Identifiable {
    public var id: Int64
    public var name: String
    /// How many are put into the cart at once; 1 on the menu.
    public var quantity: Int32
    /// The price of one, as the menu shows it: `18.75`. The cart reckons in cents.
    public var price: Double
    public var tags: [String]

    public init(id: Int64, name: String, quantity: Int32, price: Double, tags: [String]) {
        self.id = id
        self.name = name
        self.quantity = quantity
        self.price = price
        self.tags = tags
    }
}

/// What follows an item that was put into the cart.
@Message
public struct CartReceipt: Hashable {
    public var ok: Bool
    /// Pieces in the cart now.
    public var count: Int64

    public init(ok: Bool, count: Int64) {
        self.ok = ok
        self.count = count
    }
}
