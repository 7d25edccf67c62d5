// Composition: the project's own napkin-client, and the views that it shows.
//
// Layer      composition root.
// Isolation  none of its own; its callees choose theirs.

import NapkinClient

@main
enum Composition {
    static func main() {
        Client.main { AppViews.register(in: $0) }
    }
}
