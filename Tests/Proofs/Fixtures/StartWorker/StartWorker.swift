// StartWorker: hosts apps whose sessions run also while nobody is there.

import NapkinWorker

@main
enum StartWorker {
    static func main() {
        if CommandLine.arguments.contains("--lesser") {
            WorkerProgram.main(LesserTillApp.self)
        } else {
            WorkerProgram.main(TillApp.self, GuestApp.self)
        }
    }
}
