// LaunchBuilder: builds the root of a session.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import RibHouseContract

/// What the root needs: the services.
protocol LaunchDependency: Dependency {
    var tempo: Tempo { get }
    var auth: AuthService { get }
    var pit: PitService { get }
    var specials: SpecialsService { get }
}

/// Passes the services on to the children.
// SAFETY: no stored property; see `Component`.
final class LaunchComponent: Component<any LaunchDependency>, LoggedOutDependency,
    LoggedInDependency, @unchecked Sendable
{
    var tempo: Tempo { dependency.tempo }
    var pit: PitService { dependency.pit }
    var specials: SpecialsService { dependency.specials }
}

/// Builds roots.
protocol LaunchBuildable: Buildable {
    @MainActor func build() async -> any LaunchRouting
}

// SAFETY: no stored property; see `Builder`.
final class LaunchBuilder: Builder<any LaunchDependency>, LaunchBuildable, @unchecked Sendable {
    @MainActor
    func build() async -> any LaunchRouting {
        let component = LaunchComponent(dependency: dependency)
        let interactor = LaunchInteractor(auth: dependency.auth)
        let router = GateRouter(
            interactor: interactor, view: RemoteView(),
            loggedOut: LoggedOutBuilder(dependency: component),
            loggedIn: LoggedInBuilder(dependency: component))
        await interactor.wire(router: router)
        return router
    }
}
