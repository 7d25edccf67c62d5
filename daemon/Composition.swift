// Composition: the project's own napkind, and the apps that it hosts.
//
// Layer      composition root.
// Isolation  none of its own.

import CartFeature
import CharactersFeature
import NapkinDaemon
import RibHouseFeature
import TranscriptionFeature

@main
enum Composition {
    static func main() {
        Napkind.main(apps: [
            CartApp.self,
            CharactersApp.self,
            RibHouse.self,
            TranscriptionApp.self,
        ])
    }
}
