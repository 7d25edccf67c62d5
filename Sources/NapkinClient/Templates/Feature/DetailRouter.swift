// DetailRouter: the children of the feature.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import SampleContract

/// The routes from the feature.
@MainActor
protocol DetailRouting: /*@routing@*/ {}

@MainActor
final class DetailRouter: /*@base@*/<DetailInteractor, Detail>, DetailRouting {}
