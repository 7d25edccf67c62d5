// Coupon: a code, and the discount that it gives.

import NapkinCore

/// A discount for a code.
@Message
struct Coupon: Equatable {
    /// The amount that a coupon takes off.
    @Message
    enum Discount: Equatable {
        /// A share of the subtotal, rounded down to a whole cent.
        case percent(Int64)
        case cents(Int64)
    }

    /// The code in capitals.
    let code: String
    let discount: Discount
    /// The subtotal from which the coupon counts.
    var fromCents: Int64 = 0

    /// Returns at most the subtotal.
    func discountCents(on subtotal: Int64) -> Int64 {
        guard subtotal >= fromCents else { return 0 }
        return switch discount {
        case .percent(let percent): subtotal * percent / 100
        case .cents(let cents): min(cents, subtotal)
        }
    }

    /// The coupons of the house.
    static let all = [
        Coupon(code: "SMOKE10", discount: .percent(10)),
        Coupon(code: "LUNCH5", discount: .cents(500), fromCents: 2000),
    ]
}
