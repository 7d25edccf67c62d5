// CartApp: the app as a worker hosts it.
//
// Layer      feature: the composition root of a session.
// Isolation  none of its own; roots are made on the main actor.

import CartContract
public import NapkinCore

/// A cart for each session, in the smallest form that an app can have: one feature, one interactor,
/// and a router that the framework has already.
public enum CartApp: App {
    public static let id = "cart"
    public static let features: [any Feature.Type] = [Cart.self]

    @MainActor
    public static func makeRoot(session: String) async -> any LaunchRouting {
        let view = RemoteView<Cart>()
        let interactor = CartInteractor(
            presenter: view.presenter, menu: .standard, coupons: Coupon.all)
        return LaunchRouter(interactor: interactor, view: view)
    }
}
