// C1Presenter: on the main actor, but without `Presentable` the protocol is not `Sendable`.

import NapkinCore

@MainActor
protocol BoardPresentable: AnyObject {
    func present(text: String) async
}

final actor BoardInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    // expected-error@+2: 'nonisolated' can not be applied to variable with non-'Sendable' type
    // expected-error@+1: non-Sendable type 'any BoardPresentable' cannot be returned
    nonisolated let presenter: any BoardPresentable

    init(presenter: any BoardPresentable) {
        self.presenter = presenter
    }
}
