// LoggedInBuilder: builds a guest's table.

import NapkinCore
import RibHouseContract

/// What the table needs.
protocol LoggedInDependency: Dependency {
    var tempo: Tempo { get }
    var pit: PitService { get }
    var specials: SpecialsService { get }
}

/// Adds the board to the services: one for the table and everything above it.
final class LoggedInComponent: Component<any LoggedInDependency> {
    var pit: PitService { dependency.pit }
    var specials: SpecialsService { dependency.specials }

    /// The items as they have been announced.
    ///
    /// The pit has one reader, `Announcements`, which handles a tick as a whole: it presents the
    /// last call first, and posts the items here when that has returned. Features that show items
    /// follow this cell and not the pit, so that no front can see the new state before the call.
    var board: StateCell<[PitItem]> { shared { StateCell(pit.items) } }
}

/// Builds tables.
protocol LoggedInBuildable: Buildable {
    func build(user: User, listener: any LoggedInListener) async -> any LoggedInRouting
}

final class LoggedInBuilder: Builder<any LoggedInDependency>, LoggedInBuildable {
    func build(user: User, listener: any LoggedInListener) async -> any LoggedInRouting {
        let component = LoggedInComponent(dependency: dependency)
        let view = RemoteView<LoggedIn>(arguments: .init(user: user))
        let interactor = LoggedInInteractor(
            presenter: view.presenter, listener: listener, user: user, pit: component.pit,
            board: component.board, clock: dependency.tempo.clock)
        let router = LoggedInRouter(
            interactor: interactor, view: view, component: component)
        await interactor.wire(router: router)
        return router
    }
}
