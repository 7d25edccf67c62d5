// SampleDaemon: the daemon that hosts the app; it starts a worker when a front asks for one.
//
// Layer      composition root.
// Isolation  none of its own.

import NapkinDaemon
import SampleFeature

@main
enum SampleDaemon {
    static func main() {
        Napkind.main(apps: [SampleApp.self], name: "sampled")
    }
}
