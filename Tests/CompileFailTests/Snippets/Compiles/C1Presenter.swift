// C1Presenter: `Presentable` is `Sendable`, too.

import NapkinCore

@MainActor
protocol BoardPresentable: Presentable {
    func present(text: String) async
}

final actor BoardInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any BoardPresentable

    init(presenter: any BoardPresentable) {
        self.presenter = presenter
    }
}
