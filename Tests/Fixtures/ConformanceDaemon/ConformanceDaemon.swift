// ConformanceDaemon: a napkind that hosts the conformance cases.
//
// Layer      test executable.
// Isolation  none of its own.

import ConformanceCases
import NapkinDaemon

@main
enum ConformanceDaemon {
    static func main() {
        Napkind.main(apps: [ConformanceApp.self])
    }
}
