// LoggedOutRouter: the door's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore
import RibHouseContract

/// The door leads nowhere by itself.
@MainActor
protocol LoggedOutRouting: ViewableRouting {}

@MainActor
final class LoggedOutRouter: ViewableRouter<LoggedOutInteractor, LoggedOut>, LoggedOutRouting {}
