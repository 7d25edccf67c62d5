// House: a whole session on a screen, with a clock that is moved by hand.

import NapkinCore
import RibHouseContract

@testable import RibHouseFeature

/// A session that has been launched and shows its door.
@MainActor
final class House {
    static let tick = Duration.seconds(4)
    static let specials = Duration.seconds(6)
    static let banner = Duration.seconds(3)

    let clock = HandClock()
    let screen = Screen()
    let component: AppComponent
    let root: any LaunchRouting

    var journal: Journal { screen.journal }

    init() async {
        component = AppComponent(tempo: Tempo(tick: Self.tick, sleep: clock.sleep))
        root = await LaunchBuilder(dependency: component).build()
        await root.launch(on: screen)
        await journal.read("+ logged-out in loggedOut (embed)")
    }

    func login() async {
        _ = await screen.tap("didTapLogin()", on: LoggedOut.id)
        await journal.read("- logged-out; + logged-in in loggedIn (embed)")
    }

    func logout() async {
        _ = await screen.tap("didTapLogout()", on: LoggedIn.id)
        await journal.read("- logged-in; + logged-out in loggedOut (embed)")
    }

    func openBoard() async -> Bool {
        await screen.tap("didTapPitBoard()", on: LoggedIn.id)
    }
}
