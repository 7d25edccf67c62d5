// DetailRouter: the children of the feature.

import NapkinCore
import SampleContract

/// The routes from the feature.
@MainActor
protocol DetailRouting: ViewableRouting {}

@MainActor
final class DetailRouter: ViewableRouter<DetailInteractor, Detail>, DetailRouting {}
