// Basket: the chosen items, and what they cost.
//
// Invariant  every line has 1...`quantityMax` pieces, and there are at most `linesMax` lines, so
//            that no sum of cents can overflow.

import CartContract
import NapkinCore

/// A cart without fronts. Money is in whole cents throughout.
@Message
struct Basket: Equatable {
    static let quantityMax = CartError.quantityMax
    static let linesMax = CartError.linesMax

    private(set) var lines: [CartLine] = []
    private(set) var coupon: Coupon?

    /// Pieces of all items.
    var count: Int64 { lines.reduce(0) { $0 + Int64($1.quantity) } }

    var subtotalCents: Int64 { lines.reduce(0) { $0 + $1.cents } }

    /// The discount, at most the subtotal; a coupon below its minimum is kept, and takes nothing
    /// off.
    var discountCents: Int64 { coupon?.discountCents(on: subtotalCents) ?? 0 }

    var contents: CartContents {
        CartContents(
            lines: lines, coupon: coupon?.code, subtotalCents: subtotalCents,
            discountCents: discountCents, totalCents: subtotalCents - discountCents)
    }

    /// Adds pieces of an item, after the other items unless it is already there.
    mutating func add(_ item: CartItem, priceCents: Int64) throws(CartError) {
        guard item.quantity > 0 else { throw .quantity(item.quantity) }
        let index = lines.firstIndex { $0.id == item.id }
        guard index != nil || lines.count < Self.linesMax else { throw .tooManyLines }
        let before = index.map { lines[$0].quantity } ?? 0
        // Both are below a hundred: they are compared before they are added.
        guard item.quantity <= Self.quantityMax - before else {
            throw .tooMany(of: item.name)
        }
        let line = Self.line(item.id, item.name, before + item.quantity, priceCents)
        if let index { lines[index] = line } else { lines.append(line) }
    }

    /// Sets the pieces of an item; 0 removes it.
    mutating func change(quantity: Int32, of id: Int64) throws(CartError) {
        guard let index = lines.firstIndex(where: { $0.id == id }) else { throw .notInCart(id) }
        guard quantity >= 0 else { throw .quantity(quantity) }
        let line = lines[index]
        guard quantity <= Self.quantityMax else { throw .tooMany(of: line.name) }
        if quantity == 0 {
            lines.remove(at: index)
        } else {
            lines[index] = Self.line(id, line.name, quantity, line.priceCents)
        }
    }

    mutating func use(_ coupon: Coupon?) { self.coupon = coupon }

    /// Removes everything, including the coupon.
    mutating func empty() { self = Basket() }

    private static func line(
        _ id: Int64, _ name: String, _ quantity: Int32, _ priceCents: Int64
    ) -> CartLine {
        CartLine(
            id: id, name: name, quantity: quantity, priceCents: priceCents,
            cents: Int64(quantity) * priceCents)
    }
}
