// Cart: the one feature of the app: a menu, and what has been chosen from it.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  none of its own; presentables are @MainActor.

public import NapkinCore

/// The root, and all there is.
public enum Cart: Feature {
    public static let id: FeatureID = "cart.cart"
    public typealias Presenting = CartPresentableCrossing
    public typealias Listening = CartPresentableListenerCrossing
}

/// What the cart's view shows, and the one thing that it is asked.
@Crossing @MainActor
public protocol CartPresentable: Presentable {
    /// What can be put into the cart, in the menu's order.
    func present(menu: [CartItem]) async
    func present(contents: CartContents) async
    /// How the last request to empty the cart ended; `nil` when that does not matter any more.
    func present(notice: String?) async
    /// Whether the cart may be emptied. `question` says what is in it.
    func confirmEmptying(_ question: String) async throws -> Bool
}

/// What the cart's view tells its interactor.
@Crossing
public protocol CartPresentableListener: PresentableListener {
    /// Puts an item of the menu into the cart.
    ///
    /// The price is the one that the person saw: an item that costs something else by now is
    /// refused, and nobody pays what was not shown.
    func add(_ item: CartItem) async throws -> CartReceipt
    /// Sets how many pieces of an item are in the cart; 0 takes it out.
    func change(quantity: Int32, of id: Int64) async throws
    /// Puts a coupon on the cart, in place of one that is there; an empty code takes it off.
    func apply(coupon: String) async throws
    /// Asks, and empties the cart if the answer is yes. Returns when that is decided.
    func didTapEmpty() async
}
