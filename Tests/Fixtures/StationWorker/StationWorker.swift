// StationWorker: hosts the station.
//
// Layer      tests, fixture.
// Isolation  none of its own.

import NapkinWorker
import StationCase

@main
enum StationWorker {
    static func main() { WorkerProgram.main(StationApp.self) }
}
