// LaunchInteractor: the auth gate.

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

/// Routing follows the user and not the taps: a tap changes who is logged in, and the gate reacts
/// before the tap is answered, so that a front that has an answer has the screen as well.
///
/// What the services of a session have to know again in the next worker is kept here: the services
/// themselves begin anew.
@Durable
final actor LaunchInteractor: Interactable {
    @Message
    struct State: DurableState {
        var user: User?
        /// The items as they were last announced; `nil` before the first tick.
        var pit: [PitItem]?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    private let auth: AuthService
    private let pit: PitService
    var state = State()
    @Volatile private weak var router: (any GateRouting)?

    init(auth: AuthService, pit: PitService) {
        self.auth = auth
        self.pit = pit
    }

    func wire(router: any GateRouting) {
        self.router = router
    }

    /// Before anybody follows the services, and before fronts come back: they find their side.
    func didRestore() async {
        if let items = state.pit { await pit.resume(with: items) }
        if let user = state.user { await auth.login(as: user) }
        await followUser()
    }

    func didBecomeActive() async {
        task {
            for await _ in self.auth.users { await self.followUser() }
        }
    }

    /// A second user is ignored while one sits here, as the router does.
    private func followUser() async {
        let user = auth.current
        if (user == nil) != (state.user == nil) { state.user = user }
        if let user {
            await router?.routeToLoggedIn(user)
        } else {
            await router?.routeToLoggedOut()
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
        await followUser()
    }
}

extension LaunchInteractor: LoggedInListener {
    func loggedInDidTapLogout() async {
        await auth.logout()
        await followUser()
    }

    func loggedInDidHear(of items: [PitItem]) async {
        state.pit = items
    }
}
