// QuestionDaemon: a napkind that hosts two small apps: one to be asked and to ask, and one that
// shows something of everything.
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
        Napkind.main(apps: [QuestionApp.self, LarderApp.self], name: "questiond")
    }
}
