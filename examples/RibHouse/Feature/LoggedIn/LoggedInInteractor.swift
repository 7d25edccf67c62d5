// LoggedInInteractor: a guest's table: the menu, the news, the ways out.
//
// Invariant  only a banner's own timer removes it.

import NapkinCore
import RibHouseContract

/// The routes from the table.
@MainActor
protocol LoggedInRouting: ViewableRouting {
    func routeToPitBoard() async
    func routeFromPitBoard() async
}

/// What the table tells its parent.
protocol LoggedInListener: AnyObject, Sendable {
    func loggedInDidTapLogout() async
    /// The pit's items, whenever they have changed.
    func loggedInDidHear(of items: [PitItem]) async
}

/// Keeps the pit running while a guest is here, and shows its news.
@Durable
final actor LoggedInInteractor: PresentableInteractable {
    @Message
    struct State: DurableState {
        /// The shown banner.
        var banner: String?
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any LoggedInPresentable
    private let user: User
    private let pit: PitService
    private let board: StateCell<[PitItem]>
    private let clock: AnyClock
    var state = State()
    @Volatile private weak var router: (any LoggedInRouting)?
    @Volatile private weak var listener: (any LoggedInListener)?
    /// The number of the shown banner; a timer with an older number is too late.
    @Volatile private var newestBanner = 0

    init(
        presenter: any LoggedInPresentable, listener: any LoggedInListener, user: User,
        pit: PitService, board: StateCell<[PitItem]>, clock: AnyClock
    ) {
        self.presenter = presenter
        self.listener = listener
        self.user = user
        self.pit = pit
        self.board = board
        self.clock = clock
    }

    func wire(router: any LoggedInRouting) {
        self.router = router
    }

    func didBecomeActive() async {
        await presenter.present(foods: user.foods)
        // Of a former worker: its timer starts over.
        if let banner = state.banner { await show(banner: banner) }
        task {
            for await items in self.board.values {
                await self.presenter.present(pitSummary: Self.summary(of: items))
            }
        }
        await pit.start()
    }

    func willResignActive() async {
        await pit.stop()
    }

    /// Returns `2 SMOKING · 1 RESTING`.
    private static func summary(of items: [PitItem]) -> String {
        let smoking = items.count { $0.stage == .smoking }
        let resting = items.count { $0.stage == .resting }
        return "\(smoking) SMOKING · \(resting) RESTING"
    }
}

extension LoggedInInteractor: LoggedInPresentableListener {
    func didTapLogout() async {
        await listener?.loggedInDidTapLogout()
    }

    func didTapPitBoard() async {
        await router?.routeToPitBoard()
    }
}

extension LoggedInInteractor: LoggedInActionable {
    func openPitBoard() async {
        await router?.routeToPitBoard()
    }
}

extension LoggedInInteractor: AnnouncementsListener {
    /// Returns when the banner has been presented; the timer that removes it keeps running.
    func announcementsDidHearLastCall(for item: String) async {
        let banner = "LAST CALL · \(item)"
        state.banner = banner
        await show(banner: banner)
    }

    func announcementsWillPost(_ items: [PitItem]) async {
        await listener?.loggedInDidHear(of: items)
    }

    private func show(banner: String) async {
        newestBanner += 1
        let number = newestBanner
        await presenter.present(banner: banner)
        task {
            do {
                try await self.clock.sleep(for: Tempo.bannerDuration)
            } catch {
                // Cancelled: the guest has left, and the banner is gone.
                return
            }
            await self.takeDownBanner(number)
        }
    }

    private func takeDownBanner(_ number: Int) async {
        guard number == newestBanner else { return }
        state.banner = nil
        await presenter.present(banner: nil)
    }
}

extension LoggedInInteractor: PitBoardListener {
    func pitBoardDidFinish() async {
        await router?.routeFromPitBoard()
    }
}
