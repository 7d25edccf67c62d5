// Cart: the only feature of the app: a menu, and a cart of dishes chosen from it.

public import NapkinCore

/// The root and the only feature.
public enum Cart: Feature {
    public static let id: FeatureID = "cart.cart"
    public typealias Presenting = CartPresentableCrossing
    public typealias Listening = CartPresentableListenerCrossing
}

/// What the cart's view shows, and the question that it is asked.
@Crossing @MainActor
public protocol CartPresentable: Presentable {
    /// The items that can be put into the cart, in the menu's order.
    func present(menu: [CartItem]) async
    func present(contents: CartContents) async
    /// How the last request to empty the cart ended; `nil` when that no longer matters.
    func present(notice: String?) async
    /// Whether the cart may be emptied. `question` says what is in it.
    func confirmEmptying(_ question: String) async throws -> Bool
}

/// What the cart's view tells its interactor.
@Crossing
public protocol CartPresentableListener: PresentableListener {
    /// Puts an item of the menu into the cart.
    ///
    /// The price is the one that the person saw: an item that has another price by now is refused,
    /// so that nobody pays a price that was not shown.
    func add(_ item: CartItem) async throws(CartError) -> CartReceipt
    /// Sets how many pieces of an item are in the cart; 0 removes it.
    func change(quantity: Int32, of id: Int64) async throws(CartError)
    /// Applies a coupon to the cart, instead of an earlier one; an empty code removes it.
    func apply(coupon: String) async throws(CartError)
    /// Asks, and empties the cart if the answer is yes. Returns when that is decided.
    func didTapEmpty() async
}
