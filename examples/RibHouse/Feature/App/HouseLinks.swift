// HouseLinks: the app's URLs, and the workflow that they run.

import NapkinCore
import RibHouseContract

/// What a workflow may do at the door.
protocol LaunchActionable: Interactable {
    /// Waits until somebody is logged in. It logs nobody in.
    func waitForLogin() async throws -> any LoggedInActionable
}

/// What a workflow may do at the table.
protocol LoggedInActionable: Interactable {
    /// Opens the board, unless it is open. Returns when fronts have been told.
    func openPitBoard() async
}

/// `ribhouse://pit-board`: waits for a login, then opens the board.
@MainActor
final class PitBoardWorkflow: Workflow<any LaunchActionable> {
    override init() {
        super.init()
        onStep("wait for login") { launch in (try await launch.waitForLogin(), ()) }
            .onStep("open the pit board") { table, _ in (await table.openPitBoard(), ()) }
            .commit()
    }
}

/// The links of the app.
enum HouseLinks {
    static let all = [
        DeepLinkRoute(
            "ribhouse://pit-board", "opens the pit board after login",
            on: (any LaunchActionable).self
        ) { _ in PitBoardWorkflow() }
    ]
}
