// C4Interactor: the crossing is visible as an `await`.

import NapkinCore

@MainActor
final class Menu {
    private(set) var items: [String] = []
    func add(_ item: String) { items.append(item) }
}

final actor BoardInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    private let menu: Menu

    init(menu: Menu) {
        self.menu = menu
    }

    func didBecomeActive() async {
        await menu.add("Brisket")
    }
}
