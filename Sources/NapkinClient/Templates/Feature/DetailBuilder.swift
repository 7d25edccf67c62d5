// DetailBuilder: builds the feature: interactor, router, and the handle of its view.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import SampleContract

/// What the feature needs from its parent, by name: nothing yet.
protocol DetailDependency: Dependency {}

extension EmptyComponent: DetailDependency {}

// SAFETY: no stored property; see `Builder`.
final class DetailBuilder: Builder<any DetailDependency>, @unchecked Sendable {
    @MainActor
    func build() async -> any ViewableRouting {
        let view = RemoteView<Detail>()
        let interactor = DetailInteractor(presenter: view.presenter)
        return DetailRouter(interactor: interactor, view: view)
    }
}
