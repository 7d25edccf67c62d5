// KettleRouter: the children of the root, and how the root is made.

import KettleContract
import NapkinCore

/// The routes from the root.
@MainActor
protocol KettleRouting: LaunchRouting {
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
    // napkin: children of Kettle
}
