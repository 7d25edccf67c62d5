// CharacterListBuilder: builds the root of a session.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import CharactersContract
import CharactersNetworking
import NapkinCore

/// What the list needs.
protocol CharacterListDependency: Dependency {
    var characters: Characters { get }
    var clock: AnyClock { get }
}

/// Passes the services on to the children.
// SAFETY: no stored property; see `Component`.
final class CharacterListComponent: Component<any CharacterListDependency>,
    CharacterDetailDependency, @unchecked Sendable
{
    var characters: Characters { dependency.characters }
    var clock: AnyClock { dependency.clock }
}

/// Builds roots.
protocol CharacterListBuildable: Buildable {
    @MainActor func build() async -> any LaunchRouting
}

// SAFETY: no stored property; see `Builder`.
final class CharacterListBuilder: Builder<any CharacterListDependency>, CharacterListBuildable,
    @unchecked Sendable
{
    @MainActor
    func build() async -> any LaunchRouting {
        let component = CharacterListComponent(dependency: dependency)
        let view = RemoteView<CharacterList>()
        let interactor = CharacterListInteractor(
            presenter: view.presenter, characters: component.characters, clock: component.clock)
        let router = CharacterListRouter(
            interactor: interactor, view: view,
            detail: CharacterDetailBuilder(dependency: component))
        await interactor.wire(router: router)
        return router
    }
}
