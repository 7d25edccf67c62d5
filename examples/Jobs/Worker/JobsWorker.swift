// JobsWorker: the program that hosts Jobs's sessions; napkind starts it.

import JobsFeature
import NapkinWorker

@main
enum JobsWorker {
    static func main() { WorkerProgram.main(JobsApp.self) }
}
