// CartItem: an item that is put into a cart, and the receipt for it.
//
//
// The two types of the Cart, so that what is measured is what an app sends.

public import NapkinCore

/// A dish, as the menu lists it and an order names it.
@Message
public struct CartItem: Hashable, Identifiable {
    public var id: Int64
    public var name: String
    /// How many pieces are put into the cart at once; 1 on the menu.
    public var quantity: Int32
    /// The price of one piece, as the menu shows it: `18.75`. The cart calculates in cents.
    public var price: Double
    public var tags: [String]
}

/// The receipt for an item that was put into the cart.
@Message
public struct CartReceipt: Hashable {
    public var ok: Bool
    /// Pieces in the cart now.
    public var count: Int64
}
