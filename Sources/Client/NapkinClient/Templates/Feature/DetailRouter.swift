// DetailRouter: the children of the feature, and how the feature is made.

import NapkinCore
import SampleContract

/// The routes from the feature.
@MainActor
protocol DetailRouting: ViewableRouting {
    // napkin: routes of Detail
}

@MainActor
final class DetailRouter: ViewableRouter<DetailInteractor, Detail>, DetailRouting {
    //@build@

    override func didLoad() async {
        // napkin: lasting children of Detail
    }
    // napkin: children of Detail
}
