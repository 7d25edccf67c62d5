// CartTotal: applies a coupon to the cart and prints what is to be paid; it shows nothing.

import CartContract
import NapkinFront

@main
enum CartTotal {
    @MainActor
    static func main() async throws {
        let front = Front(
            at: try .standard(),
            options: FrontOptions(app: "cart", client: "cart-total 1.0", answersAsks: false))
        let cart = FeatureClient(Cart.self, in: front.registry)
        let total = try await front.visit {
            try await cart.listener.apply(coupon: "SMOKE10")
            return try await cart.state {
                if case .presentContents(let it) = $0 { it.totalCents } else { nil }
            }
        }
        print(total)
    }
}
