// JobsClient: the client of Jobs; it has every command of napkin-client, and one of its own.
//
// Layer      composition root.
// Isolation  none of its own.

import JobsFront
import NapkinClient

@main
enum JobsClient {
    static func main() {
        Client.main(daemon: "jobsd", app: "jobs", commands: [Submit.self]) {
            JobsViews.register(in: $0)
        }
    }
}
