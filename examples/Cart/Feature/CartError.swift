// CartError: why the cart refuses something, in words for the person who tried.
//
// Layer      feature.
// Isolation  value.

/// The errors that the cart's events throw. The text reaches the front that sent the event.
enum CartError: Error, Equatable, CustomStringConvertible {
    case notOnMenu(Int64)
    /// The menu has another price than the one that the person saw.
    case price(of: String, isCents: Int64)
    case quantity(Int32)
    case tooMany(of: String)
    case tooManyLines
    case notInCart(Int64)
    case unknownCoupon(String)

    var description: String {
        switch self {
        case .notOnMenu(let id):
            "item \(id) is not on the menu: choose one that is"
        case .price(let name, let cents):
            "\(name) costs \(Self.money(cents)): look at the menu, and add it again"
        case .quantity(let quantity):
            "\(quantity) is no number of pieces: it takes 1 to \(Basket.quantityMax)"
        case .tooMany(let name):
            "more than \(Basket.quantityMax) × \(name) is too much for this kitchen"
        case .tooManyLines:
            "the cart is full: take one of its \(Basket.linesMax) items out first"
        case .notInCart(let id):
            "item \(id) is not in the cart"
        case .unknownCoupon(let code):
            "no coupon is called \(code): look at the one you have again"
        }
    }

    /// Returns `18.05`.
    static func money(_ cents: Int64) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
