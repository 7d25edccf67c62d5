// StationClientRebuilt: shows the station, after its author has changed the previews.

import NapkinClient
import StationCase

@main
enum StationClientRebuilt {
    static func main() {
        Client.main(app: "station") {
            StationViews.register(in: $0)
        } previews: {
            StationPreviews.all(train: "7:15 to Lockhart", hasPlatform: false)
        }
    }
}
