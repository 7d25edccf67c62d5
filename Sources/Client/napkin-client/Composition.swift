// Composition: the program of napkin-client, which starts the fronts that apps have.

import NapkinClient

@main
enum Composition {
    static func main() {
        Client.main()
    }
}
