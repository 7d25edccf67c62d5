// CharacterListRouter: the list, and at most one card on it.
//
// Invariant  of two requested characters, the one requested last is shown.

import CharactersContract
import NapkinCore

/// The root's router.
@MainActor
final class CharacterListRouter: LaunchRouter<CharacterListInteractor, CharacterList>,
    CharacterListRouting
{
    private let cards = ChildStack()
    private let details = ChildList<String, CharacterDetail>("detail")
    private let dependency: any CharacterListDependency

    init(
        interactor: CharacterListInteractor, view: RemoteView<CharacterList>,
        dependency: any CharacterListDependency
    ) {
        self.dependency = dependency
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    func routeToDetail(of row: CharacterRow, _ policy: CachePolicy) async {
        // The shown card is detached in the same batch, and its loads are cancelled.
        await replaceTop(
            of: cards, with: details[row.id], arguments: .init(id: row.id, name: row.name)
        ) { view in
            CharacterDetailInteractor(
                presenter: view.presenter, listener: interactor, id: row.id, policy: policy,
                characters: dependency.characters, clock: dependency.clock)
        }
    }

    func routeFromDetail() async { await popToRoot(cards) }
}
