// JobsDaemon: a daemon for Jobs alone, so that nobody else's worker waits for it.
//
// Layer      composition root.
// Isolation  none of its own.

import JobsFeature
import NapkinDaemon

@main
enum JobsDaemon {
    static func main() {
        Napkind.main(apps: [JobsApp.self], name: "jobsd")
    }
}
