// StationDaemon: hosts the station.
//
// Layer      tests, fixture.
// Isolation  none of its own.

import NapkinDaemon
import StationCase

@main
enum StationDaemon {
    static func main() { Napkind.main(apps: [StationApp.self], name: "stationd") }
}
