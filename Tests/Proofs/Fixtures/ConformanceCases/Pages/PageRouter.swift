// PageRouter: a page and the one that is pushed on it.

import NapkinCore

@MainActor
final class PageRouter: ViewableRouter<PageInteractor, Page>, PageRouting {
    private let child = ChildSlot<Page>("child", presentation: .push)
    private let own = FrontSlot<Page>("own")
    private let desk: Desk

    private init(_ interactor: PageInteractor, _ view: RemoteView<Page>, _ desk: Desk) {
        self.desk = desk
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    static func build(
        _ name: String, listener: any PageListener, desk: Desk
    ) async -> PageRouter {
        let view = RemoteView<Page>(arguments: .init(name: name))
        let interactor = PageInteractor(
            name, presenter: view.presenter, listener: listener, desk: desk)
        let router = PageRouter(interactor, view, desk)
        await interactor.wire(router: router)
        return router
    }

    func routeToChild(_ name: String) async {
        await attach(child) {
            await PageRouter.build(name, listener: interactor, desk: desk)
        }
    }

    func routeFromChild() async { await detach(child) }

    func openOwn() async {
        await attach(own) { router, front in
            await PageRouter.build(
                "own \(front.id)", listener: router.interactor, desk: router.desk)
        }
    }
}
