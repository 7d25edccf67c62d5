// AnnouncementsRouter: the crier's place in the tree.
//
// Layer      feature.
// Isolation  @MainActor.

import NapkinCore

/// A child without a view; nothing hangs under it.
@MainActor
protocol AnnouncementsRouting: Routing {}

@MainActor
final class AnnouncementsRouter: Router<AnnouncementsInteractor>, AnnouncementsRouting {}
