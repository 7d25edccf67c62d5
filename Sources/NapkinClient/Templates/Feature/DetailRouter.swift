// DetailRouter: the feature's place in the tree; its children will be attached here.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import SampleContract

@MainActor
final class DetailRouter: ViewableRouter<DetailInteractor, Detail> {}
