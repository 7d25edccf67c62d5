// CartViews: registers the view of the cart in a front.
//
// Layer      example, front.
// Isolation  @MainActor.

import CartContract
public import NapkinFront

/// The terminal views of the cart.
public enum CartViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(Cart.self) { CartView(listener: $0.listener) }
    }
}
