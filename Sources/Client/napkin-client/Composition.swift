// Composition: the program of napkin-client, which starts the fronts that apps have.
//
// Isolation  none of its own; its callees choose theirs.

import NapkinClient

@main
enum Composition {
    static func main() {
        Client.main()
    }
}
