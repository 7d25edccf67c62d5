// CharactersViews: registers the views of the app in a front.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise.

import CharactersContract
import NapkinElements
public import NapkinFront

/// The views of the app.
public enum CharactersViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(CharacterList.self) { context in
            let presenter = CharacterListPresenter(listener: context.listener)
            return (presenter, CharacterListScreen(presenter: presenter))
        }
        registry.register(CharacterDetail.self) { context in
            let presenter = CharacterDetailPresenter(listener: context.listener)
            let name = context.arguments.name
            return (presenter, CharacterDetailScreen(name: name, presenter: presenter))
        }
    }
}
