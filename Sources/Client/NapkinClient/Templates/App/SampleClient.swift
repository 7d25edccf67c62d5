// SampleClient: the client with the app's views; it has every command of napkin-client.

import NapkinClient
import SampleFront

@main
enum SampleClient {
    static func main() {
        Client.main(app: "sample") { SampleViews.register(in: $0) }
    }
}
