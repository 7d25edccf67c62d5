// LaunchInteractor: the auth gate.
//
// Layer      feature.
// Isolation  actor (loop executor).

import NapkinCore
import RibHouseContract

/// The two ways through the gate.
@MainActor
protocol GateRouting: LaunchRouting {
    func routeToLoggedOut() async
    /// Does nothing while somebody is logged in.
    func routeToLoggedIn(_ user: User) async
    /// The table while somebody is logged in.
    nonisolated var table: StateCell<(any LoggedInActionable)?> { get }
}

/// Routing follows the state and not the taps: a tap changes who is logged in, and the gate reacts.
final actor LaunchInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    private let auth: AuthService
    private weak var router: (any GateRouting)?

    init(auth: AuthService) {
        self.auth = auth
    }

    func wire(router: any GateRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        task {
            for await user in self.auth.users {
                if let user {
                    await self.router?.routeToLoggedIn(user)
                } else {
                    await self.router?.routeToLoggedOut()
                }
            }
        }
    }
}

extension LaunchInteractor: LaunchActionable {
    func waitForLogin() async throws -> any LoggedInActionable {
        // A logged-in user is not enough: the gate follows the user, and only then is there a
        // table.
        if let tables = router?.table.values {
            for await table in tables {
                if let table { return table }
            }
        }
        try Task.checkCancellation()
        throw WorkflowError.nodeIsGone(step: "wait for login")
    }
}

extension LaunchInteractor: LoggedOutListener {
    func loggedOutDidTapLogin() async {
        await auth.login()
    }
}

extension LaunchInteractor: LoggedInListener {
    func loggedInDidTapLogout() async {
        await auth.logout()
    }
}
