// C4Interactor: an interactor calls what lives on the main actor as if it were its own.

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
        menu.add("Brisket")  // expected-error: cannot be called from outside of the actor
    }
}
