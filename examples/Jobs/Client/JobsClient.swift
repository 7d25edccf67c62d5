// JobsClient: the app's own client: its views, and every command of napkin-client.

import JobsFront
import NapkinClient

@main
enum JobsClient {
    static func main() {
        Client.main(app: "jobs", commands: [Submit.self]) { JobsViews.register(in: $0) }
    }
}
