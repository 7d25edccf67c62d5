// KettleRouter: the children of the feature.

import KettleContract
import NapkinCore

/// The routes from the feature.
@MainActor
protocol KettleRouting: LaunchRouting {
    func routeToTea(cups: Int) async
    func routeFromTea() async
}

@MainActor
final class KettleRouter: LaunchRouter<KettleInteractor, Kettle>, KettleRouting {
    private let pages = ChildStack()
    private let tea = ChildRoute<KettleRouter, Tea>("tea", on: \.pages) { router, view in
        TeaInteractor(
            presenter: view.presenter, listener: router.interactor, cups: view.arguments.cups)
    }

    func routeToTea(cups: Int) async {
        await attach(tea, arguments: .init(cups: cups))
    }

    func routeFromTea() async {
        await pop(tea, off: pages)
    }
}
