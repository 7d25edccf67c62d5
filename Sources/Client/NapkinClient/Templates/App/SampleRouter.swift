// SampleRouter: the children of the root, and how the root is made.

import NapkinCore
import SampleContract

/// The routes from the root.
@MainActor
protocol SampleRouting: LaunchRouting {
    // napkin: routes of Sample
}

@MainActor
final class SampleRouter: LaunchRouter<SampleInteractor, Sample>, SampleRouting {
    static func build() async -> SampleRouter {
        let view = RemoteView<Sample>()
        let interactor = SampleInteractor(presenter: view.presenter)
        let router = SampleRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }

    override func didLoad() async {
        // napkin: lasting children of Sample
    }
    // napkin: children of Sample
}
