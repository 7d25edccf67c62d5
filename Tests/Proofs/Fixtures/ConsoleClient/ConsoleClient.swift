// ConsoleClient: shows the shell.

import ConsoleCase
import NapkinClient

@main
enum ConsoleClient {
    static func main() {
        Client.main(app: "pane") {
            PaneViews.register(in: $0)
        }
    }
}
