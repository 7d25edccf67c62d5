// CartApp: the app as a worker hosts it.

import CartContract
public import NapkinCore

/// A cart for each session, as the smallest possible app: one feature, one interactor, and a router
/// that the framework provides.
public enum CartApp: App {
    public static let id = "cart"
    public static let features: [any Feature.Type] = [Cart.self]
    public static let durableStates: [any DurableState.Type] = [CartInteractor.State.self]

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Cart.self) { view in
            CartInteractor(presenter: view.presenter, menu: .standard, coupons: Coupon.all)
        }
    }
}
