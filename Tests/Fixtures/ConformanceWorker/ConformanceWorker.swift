// ConformanceWorker: hosts the conformance cases.
//
// Layer      test executable.
// Isolation  none of its own.

import ConformanceCases
import NapkinWorker

@main
enum ConformanceWorker {
    static func main() { WorkerProgram.main(ConformanceApp.self) }
}
