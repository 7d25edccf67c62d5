// CharacterListBuilder: builds the root of a session.

import CharactersContract
import CharactersNetworking
import NapkinCore

/// What the list needs.
protocol CharacterListDependency: Dependency {
    var characters: Characters { get }
    var clock: AnyClock { get }
}

/// Builds roots.
protocol CharacterListBuildable: Buildable {
    func build() async -> any LaunchRouting
}

final class CharacterListBuilder: Builder<any CharacterListDependency>, CharacterListBuildable {
    func build() async -> any LaunchRouting {
        let view = RemoteView<CharacterList>()
        let interactor = CharacterListInteractor(
            presenter: view.presenter, characters: dependency.characters, clock: dependency.clock)
        let router = CharacterListRouter(
            interactor: interactor, view: view, dependency: dependency)
        await interactor.wire(router: router)
        return router
    }
}
