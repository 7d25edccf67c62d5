// CharacterDetailBuilder: builds the card of a character.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import CharactersContract
import CharactersNetworking
import NapkinCore

/// What a card needs.
protocol CharacterDetailDependency: Dependency {
    var characters: Characters { get }
    var clock: AnyClock { get }
}

/// Builds cards.
protocol CharacterDetailBuildable: Buildable {
    @MainActor
    func build(
        row: CharacterRow, policy: CachePolicy, listener: any CharacterDetailListener
    ) async -> any CharacterDetailRouting
}

// SAFETY: no stored property; see `Builder`.
final class CharacterDetailBuilder: Builder<any CharacterDetailDependency>,
    CharacterDetailBuildable, @unchecked Sendable
{
    @MainActor
    func build(
        row: CharacterRow, policy: CachePolicy, listener: any CharacterDetailListener
    ) async -> any CharacterDetailRouting {
        let view = RemoteView<CharacterDetail>(arguments: .init(id: row.id, name: row.name))
        let interactor = CharacterDetailInteractor(
            presenter: view.presenter, listener: listener, id: row.id, policy: policy,
            characters: dependency.characters, clock: dependency.clock)
        return CharacterDetailRouter(interactor: interactor, view: view)
    }
}
