// AnnouncementsRouter: the feature's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore

/// A child without a view, which has no children.
@MainActor
protocol AnnouncementsRouting: Routing {}

@MainActor
final class AnnouncementsRouter: Router<AnnouncementsInteractor>, AnnouncementsRouting {}
