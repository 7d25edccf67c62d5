// Coupon: applies a coupon and prints what is to be paid.

import CartContract
import NapkinClient
import NapkinFront

struct Coupon: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies a coupon, and prints the total in cents.")

    @Argument(help: "The coupon's code.")
    var code: String

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws {
        let front = try daemon.front(of: "cart")
        let cart = FeatureClient(Cart.self, in: front.registry)
        let total = try await front.visit {
            try await cart.listener.apply(coupon: code)
            return try await cart.state {
                if case .presentContents(let it) = $0 { it.totalCents } else { nil }
            }
        }
        print(total)
    }
}
