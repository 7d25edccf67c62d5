// CartContents: a cart with its totals at one moment.
//
// Invariant  total == subtotal - discount, and none of them is below 0.

public import NapkinCore

/// Everything that a cart's screen shows of the cart. It is one value, so that no front ever shows
/// a line without the total that belongs to it.
@Message
public struct CartContents: Hashable {
    public var lines: [CartLine] = []
    /// The coupon that has been applied.
    public var coupon: String?
    public var subtotalCents: Int64 = 0
    public var discountCents: Int64 = 0
    public var totalCents: Int64 = 0
}

/// One dish in a cart.
@Message
public struct CartLine: Hashable, Identifiable {
    /// The item's id.
    public var id: Int64
    public var name: String
    public var quantity: Int32
    public var priceCents: Int64
    /// The price of all pieces.
    public var cents: Int64
}
