// StationWorker: hosts the station.

import NapkinWorker
import StationCase

@main
enum StationWorker {
    static func main() { WorkerProgram.main(StationApp.self) }
}
