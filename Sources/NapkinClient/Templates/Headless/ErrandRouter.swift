// ErrandRouter: the feature's place in the tree; its children will be attached here.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore

@MainActor
final class ErrandRouter: Router<ErrandInteractor> {}
