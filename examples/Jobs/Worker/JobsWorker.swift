// JobsWorker: the program that hosts Jobs's sessions; napkind starts it.
//
// Layer      composition root.
// Isolation  none of its own.

import JobsFeature
import NapkinWorker

@main
enum JobsWorker {
    static func main() { WorkerProgram.main(JobsApp.self) }
}
