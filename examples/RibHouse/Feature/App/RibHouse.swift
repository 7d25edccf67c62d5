// RibHouse: the app as a worker hosts it.

public import NapkinCore
import RibHouseContract

/// The smokehouse: an auth gate, a live pit, and a board that shows it.
public enum RibHouse: App {
    public static let id = "rib-house"

    /// `Announcements` is headless, so that no front ever has to know of it.
    public static let features: [any Feature.Type] = [
        Launch.self, LoggedOut.self, LoggedIn.self, PitBoard.self,
    ]

    public static let durableStates: [any DurableState.Type] = [
        LaunchInteractor.State.self, LoggedInInteractor.State.self, PitBoardInteractor.State.self,
    ]

    public static var deepLinks: [DeepLinkRoute] { HouseLinks.all }

    /// Each session has its own pit, specials and guest.
    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let tempo = Tempo(tick: Tempo.tickFromEnvironment, clock: session.clock)
        return await LaunchBuilder(dependency: AppComponent(tempo: tempo)).build()
    }
}
