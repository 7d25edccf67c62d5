// Composition: the project's own napkind, and the apps that it hosts.
//
// Layer      composition root.
// Isolation  none of its own.

import NapkinDaemon
import RibHouseFeature

@main
enum Composition {
    static func main() {
        Napkind.main(apps: [RibHouse.self])
    }
}
