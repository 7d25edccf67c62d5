// ErrandBuilder: builds the feature: interactor and router.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore

/// What the feature needs from its parent, by name: nothing yet.
protocol ErrandDependency: Dependency {}

extension EmptyComponent: ErrandDependency {}

// SAFETY: no stored property; see `Builder`.
final class ErrandBuilder: Builder<any ErrandDependency>, @unchecked Sendable {
    @MainActor
    func build() async -> any Routing {
        ErrandRouter(interactor: ErrandInteractor())
    }
}
