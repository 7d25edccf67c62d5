// TallyRouter: the root and its one leaf, and the app that they are.
//
// Isolation  @MainActor; leaves have an actor of their own (loop executor).

import NapkinCore

@MainActor
final class TallyRouter: LaunchRouter<TallyInteractor, Tally>, TallyRouting {
    private let leaf = ChildSlot<Leaf>("leaf")
    private var leaves = 0

    override func didLoad() async {
        await attachLeaf()
    }

    func routeToNextLeaf() async {
        await transition {
            await detach(leaf)
            await attachLeaf()
        }
    }

    private func attachLeaf() async {
        await attach(leaf, arguments: .init(number: leaves)) { view in
            leaves += 1
            return LeafInteractor(presenter: view.presenter)
        }
    }
}

final actor LeafInteractor: PresentableInteractable {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any LeafPresentable

    init(presenter: any LeafPresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(title: "a leaf")
    }
}

enum TallyApp: App {
    static let id = "tally"
    static let features: [any Feature.Type] = [Tally.self, Leaf.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Tally>()
        let interactor = TallyInteractor(presenter: view.presenter)
        let router = TallyRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }
}
