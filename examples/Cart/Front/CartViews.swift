// CartViews: registers the view of the cart in a front.

import CartContract
import NapkinElements
public import NapkinFront

/// The views of the cart.
public enum CartViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Cart.self, CartModel.init) { CartScreen(model: $0) }
    }
}
