// StationClient: shows the station.
//
// Layer      tests, fixture.
// Isolation  none of its own.

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
