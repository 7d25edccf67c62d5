// CartClient: the app's own client: its views, and every command of napkin-client.

import CartFront
import NapkinClient

@main
enum CartClient {
    static func main() {
        Client.main(app: "cart") { CartViews.register(in: $0) }
    }
}
