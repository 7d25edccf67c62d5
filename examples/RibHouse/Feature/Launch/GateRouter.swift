// GateRouter: exactly one of the two sides of the gate.
//
// Layer      feature.
// Isolation  @MainActor.
// Invariant  after the first user stream's value one slot is occupied, never both.

import NapkinCore
import RibHouseContract

/// The root's router. Each swap is one batch: no front ever shows neither side, or both.
@MainActor
final class GateRouter: LaunchRouter<LaunchInteractor, Launch>, GateRouting {
    private let loggedOut = ChildSlot<LoggedOut>("loggedOut")
    private let loggedIn = ChildSlot<LoggedIn>("loggedIn")
    nonisolated let table = StateCell<(any LoggedInActionable)?>(nil)
    private let loggedOutBuilder: any LoggedOutBuildable
    private let loggedInBuilder: any LoggedInBuildable

    init(
        interactor: LaunchInteractor, view: RemoteView<Launch>,
        loggedOut: any LoggedOutBuildable, loggedIn: any LoggedInBuildable
    ) {
        loggedOutBuilder = loggedOut
        loggedInBuilder = loggedIn
        super.init(interactor: interactor, view: view)
    }

    func routeToLoggedOut() async {
        await transition {
            table.value = nil
            await detach(loggedIn)
            await attach(loggedOut) { await loggedOutBuilder.build(listener: interactor) }
        }
    }

    func routeToLoggedIn(_ user: User) async {
        await transition {
            await detach(loggedOut)
            await attach(loggedIn) {
                await loggedInBuilder.build(user: user, listener: interactor)
            }
            table.value = loggedIn.child?.interactable as? any LoggedInActionable
        }
    }
}
