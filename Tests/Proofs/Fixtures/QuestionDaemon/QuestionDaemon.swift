// QuestionDaemon: two small apps, one to be asked and to ask, and one that shows something of
// everything; and a napkind that can be weighed.

import CProofs
import Glibc
import NapkinDaemon
import NapkinWorker

@main
enum QuestionDaemon {
    static func main() {
        let isWorker = CommandLine.arguments.contains("--worker")
        // For probes that look for leaks, in napkind and in its workers.
        if let prefix = getenv("NAPKIN_SCALE") {
            precondition(napkin_scale_serve(prefix) == 0, "no scale at \(String(cString: prefix))")
            if !isWorker { precondition(napkin_scale_end_with_parent() == 0) }
        }
        if isWorker || CommandLine.arguments.contains("--in-process") {
            WorkerProgram.main(QuestionApp.self, LarderApp.self)
        }
        Napkind.main()
    }
}
