// AppViews: the views of the apps that this client knows; others are shown by their contract.
//
// Layer      composition root, with a line for each app.
// Isolation  @MainActor.

import CartFront
import CharactersFront
import NapkinFront
import RibHouseFront
import TranscriptionFront

@MainActor
enum AppViews {
    static func register(in registry: ViewRegistry) {
        CartViews.register(in: registry)
        CharactersViews.register(in: registry)
        RibHouseViews.register(in: registry)
        TranscriptionViews.register(in: registry)
    }
}
