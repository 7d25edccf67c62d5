// CartError: why the cart refuses something, as a value and in words for the person who tried.

public import NapkinCore

/// The errors that the cart's events throw.
@Message
public enum CartError: CrossingError, Equatable, CustomStringConvertible {
    case notOnMenu(Int64)
    /// The menu has another price than the one that the person saw.
    case price(of: String, isCents: Int64)
    case quantity(Int32)
    case tooMany(of: String)
    case tooManyLines
    case notInCart(Int64)
    case unknownCoupon(String)
    /// The call has failed on the way: the cart has not refused it.
    case fault(RemoteFault)

    /// Pieces of one item. Chosen: as much as a kitchen can do.
    public static let quantityMax: Int32 = 99
    /// Different items. Chosen: more than the menu has.
    public static let linesMax = 64

    public var description: String {
        switch self {
        case .notOnMenu(let id):
            "item \(id) is not on the menu: choose one that is"
        case .price(let name, let cents):
            "\(name) costs \(Self.money(cents)): look at the menu, and add it again"
        case .quantity(let quantity):
            "\(quantity) is not a valid quantity: choose 1 to \(Self.quantityMax)"
        case .tooMany(let name):
            "more than \(Self.quantityMax) × \(name) is too much for this kitchen"
        case .tooManyLines:
            "the cart is full: take one of its \(Self.linesMax) items out first"
        case .notInCart(let id):
            "item \(id) is not in the cart"
        case .unknownCoupon(let code):
            "no coupon is called \(code): look at the one you have again"
        case .fault(let fault):
            fault.message
        }
    }

    /// Returns `18.05`.
    public static func money(_ cents: Int64) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
