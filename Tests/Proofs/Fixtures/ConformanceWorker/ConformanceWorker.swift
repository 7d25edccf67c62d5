// ConformanceWorker: hosts the conformance cases.

import ConformanceCases
import NapkinWorker

@main
enum ConformanceWorker {
    static func main() { WorkerProgram.main(ConformanceApp.self) }
}
