// QuestionDaemon: a napkind that hosts one small app, made to be asked and to ask.
//
// Layer      test executable.
// Isolation  none of its own.

import Glibc
import NapkinDaemon

@main
enum QuestionDaemon {
    static func main() {
        // For tests of what napkind does about a worker that cannot start.
        let isWorker = CommandLine.arguments.contains("--worker")
        precondition(!isWorker || getenv("QUESTIONS_TRAP") == nil, "told to trap")
        Napkind.main(apps: [QuestionApp.self])
    }
}
