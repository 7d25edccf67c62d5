// LunchClient: a client of the cart with a verb of its own.

import CartFront
import NapkinClient

@main
enum LunchClient {
    static func main() {
        Client.main(app: "cart", commands: [Coupon.self]) { CartViews.register(in: $0) }
    }
}
