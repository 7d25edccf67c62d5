// StartWorker: hosts apps whose sessions run also while nobody is there.

import Glibc
import NapkinWorker

@main
enum StartWorker {
    static func main() {
        // For a worker that cannot start.
        let isWorker = CommandLine.arguments.contains("--worker")
        precondition(!isWorker || getenv("STARTS_TRAP") == nil, "told to trap")
        if CommandLine.arguments.contains("--lesser") {
            WorkerProgram.main(LesserTillApp.self)
        } else {
            WorkerProgram.main(TillApp.self, GuestApp.self)
        }
    }
}
