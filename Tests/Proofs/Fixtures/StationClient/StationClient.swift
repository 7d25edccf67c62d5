// StationClient: shows the station.

import NapkinClient
import StationCase

@main
enum StationClient {
    static func main() {
        Client.main(app: "station") {
            StationViews.register(in: $0)
        } previews: {
            StationPreviews.all(train: "4:50 to Memphis")
        }
    }
}
