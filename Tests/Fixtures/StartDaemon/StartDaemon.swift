// StartDaemon: a napkind with an app whose sessions run also while nobody is there.
//
// Layer      test executable.
// Isolation  none of its own.

import Glibc
import NapkinDaemon
import StartCase

@main
enum StartDaemon {
    static func main() {
        // For a worker that cannot start.
        let isWorker = CommandLine.arguments.contains("--worker")
        precondition(!isWorker || getenv("STARTS_TRAP") == nil, "told to trap")
        Napkind.main(apps: [StartApps.till, StartApps.guest], name: "startd")
    }
}
