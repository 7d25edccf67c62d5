// CharactersViews: registers the views of the app in a front.

import CharactersContract
import NapkinElements
public import NapkinFront

/// The views of the app.
public enum CharactersViews {
    public static func register(in registry: ViewRegistry) {
        registry.register(CharacterList.self, CharacterListPresenter.init) {
            CharacterListScreen(presenter: $0)
        }
        registry.register(CharacterDetail.self, CharacterDetailPresenter.init) {
            CharacterDetailScreen(name: $1.name, presenter: $0)
        }
    }
}
