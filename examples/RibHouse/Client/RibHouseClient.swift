// RibHouseClient: the app's own client: its views, their previews, all of napkin-client.

import NapkinClient
import RibHouseFront

@main
enum RibHouseClient {
    static func main() {
        Client.main(app: "rib-house") {
            RibHouseViews.register(in: $0)
        } previews: {
            RibHousePreviews.all
        }
    }
}
