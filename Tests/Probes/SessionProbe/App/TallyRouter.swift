// TallyRouter: the root and its one leaf, and the app that they are.
//
// Layer      test executable.
// Isolation  @MainActor; leaves have an actor of their own (loop executor).

import NapkinCore

@MainActor
final class TallyRouter: LaunchRouter<TallyInteractor, Tally>, TallyRouting {
    private let leaf = ChildSlot<Leaf>("leaf")
    private var leaves = 0

    override func didLoad() async {
        await attach(leaf) { await makeLeaf() }
    }

    func routeToNextLeaf() async {
        await transition {
            await detach(leaf)
            await attach(leaf) { await makeLeaf() }
        }
    }

    private func makeLeaf() async -> any Routing {
        let view = RemoteView<Leaf>(arguments: .init(number: leaves))
        leaves += 1
        return LeafRouter(interactor: LeafInteractor(presenter: view.presenter), view: view)
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

@MainActor
final class LeafRouter: ViewableRouter<LeafInteractor, Leaf> {}

enum TallyApp: App {
    static let id = "tally"
    static let features: [any Feature.Type] = [Tally.self, Leaf.self]

    @MainActor
    static func makeRoot(session: String) async -> any LaunchRouting {
        let view = RemoteView<Tally>()
        let interactor = TallyInteractor(presenter: view.presenter)
        let router = TallyRouter(interactor: interactor, view: view)
        await interactor.wire(router: router)
        return router
    }
}
