// CharacterListRouter: the list, and at most one card on it.
//
// Layer      feature.
// Isolation  @MainActor.
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
    private let detail: any CharacterDetailBuildable

    init(
        interactor: CharacterListInteractor, view: RemoteView<CharacterList>,
        detail: any CharacterDetailBuildable
    ) {
        self.detail = detail
        super.init(interactor: interactor, view: view)
    }

    func routeToDetail(of row: CharacterRow, _ policy: CachePolicy) async {
        // The shown card is detached in the same batch, and its loads are cancelled.
        await replaceTop(of: cards, with: details[row.id]) {
            await detail.build(row: row, policy: policy, listener: interactor)
        }
    }

    func routeFromDetail() async { await popToRoot(cards) }
}
