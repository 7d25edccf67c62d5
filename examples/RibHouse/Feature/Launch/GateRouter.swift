// GateRouter: exactly one of the two sides of the gate.
//
// Invariant  after the user stream's first value there is one child; fronts never see none or two.

import NapkinCore
import RibHouseContract

/// The root's router.
@MainActor
final class GateRouter: LaunchRouter<LaunchInteractor, Launch>, GateRouting {
    private let gate = ChildSwitch()
    private let loggedOut = ChildSlot<LoggedOut>("loggedOut")
    private let loggedIn = ChildSlot<LoggedIn>("loggedIn")
    nonisolated let table = StateCell<(any LoggedInActionable)?>(nil)
    private let loggedInBuilder: any LoggedInBuildable

    init(
        interactor: LaunchInteractor, view: RemoteView<Launch>,
        loggedIn: any LoggedInBuildable
    ) {
        loggedInBuilder = loggedIn
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    func routeToLoggedOut() async {
        await transition {
            table.value = nil
            await swap(gate, to: loggedOut) { _ in LoggedOutInteractor(listener: interactor) }
        }
    }

    func routeToLoggedIn(_ user: User) async {
        await transition {
            await swap(gate, to: loggedIn) {
                await loggedInBuilder.build(user: user, listener: interactor)
            }
            table.value = loggedIn.child?.interactable as? any LoggedInActionable
        }
    }
}
