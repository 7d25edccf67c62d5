// CharactersViews: registers the views of the app in a front.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import CharactersContract
public import NapkinFront

/// The terminal views of the app.
public enum CharactersViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(CharacterList.self) { CharacterListView(listener: $0.listener) }
        registry.register(CharacterDetail.self) {
            CharacterDetailView(name: $0.arguments.name, listener: $0.listener)
        }
    }
}
