// KettleRouter: the children of the root, and how the root is made.

import KettleContract
import NapkinCore

/// The routes from the root.
@MainActor
protocol KettleRouting: LaunchRouting {
    func routeToTea(cups: Int) async
    func routeFromTea() async
    // napkin: routes of Kettle
}

@MainActor
final class KettleRouter: LaunchRouter<KettleInteractor, Kettle>, KettleRouting {
    static func build(clock: AnyClock) async -> KettleRouter {
        let view = RemoteView<Kettle>()
        let interactor = KettleInteractor(presenter: view.presenter, clock: clock)
        let router = KettleRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }

    override func didLoad() async {
        // napkin: lasting children of Kettle
    }

    private let pages = ChildStack()
    private let tea = ChildRoute<KettleRouter, Tea>(
        "tea", on: \.pages
    ) { router, view in
        await TeaRouter.build(view, listener: router.interactor)
    }

    func routeToTea(cups: Int) async {
        await attach(tea, arguments: .init(cups: cups))
    }

    func routeFromTea() async {
        await pop(tea, off: pages)
    }
    // napkin: children of Kettle
}
