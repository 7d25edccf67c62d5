// LaunchBuilder: builds the root of a session.

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
final class LaunchComponent: Component<any LaunchDependency>, LoggedInDependency {
    var tempo: Tempo { dependency.tempo }
    var pit: PitService { dependency.pit }
    var specials: SpecialsService { dependency.specials }
}

/// Builds roots.
protocol LaunchBuildable: Buildable {
    func build() async -> any LaunchRouting
}

final class LaunchBuilder: Builder<any LaunchDependency>, LaunchBuildable {
    func build() async -> any LaunchRouting {
        let component = LaunchComponent(dependency: dependency)
        let interactor = LaunchInteractor(auth: dependency.auth, pit: dependency.pit)
        let router = GateRouter(
            interactor: interactor, view: RemoteView(),
            loggedIn: LoggedInBuilder(dependency: component))
        await interactor.wire(router: router)
        return router
    }
}
