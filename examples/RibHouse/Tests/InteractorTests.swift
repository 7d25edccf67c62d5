// InteractorTests: each feature alone, between a recorded view and a parent that notes its calls.

import NapkinCore
import NapkinTesting
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct InteractorTests {
    let clock = ManualClock()
    let parent = Parent()
    let pit: PitService
    let specials: SpecialsService
    let items = StateCell(Pit().items)
    let tableView = Recording<LoggedIn>()
    /// What the table presents.
    let journal = Journal()

    init() {
        let clock = AnyClock(clock)
        pit = PitService(ticker: Ticker(interval: House.tick, clock: clock))
        specials = SpecialsService(ticker: Ticker(interval: House.specials, clock: clock))
        tableView.onMessage { [journal] in journal.note(Words.text($0)) }
    }

    @Test("an interactor is tested in five lines, without a daemon and without a front")
    func takesFiveLines() async {
        let view = Recording<PitBoard>()
        let board = PitBoardInteractor(
            presenter: view.presenter, listener: parent, board: items, specials: specials)
        await board.activate()
        await board.didTapBack()
        #expect(parent.calls == ["pitBoardDidFinish()"])
        await board.deactivate()
    }

    private func table() -> LoggedInInteractor {
        LoggedInInteractor(
            presenter: tableView.presenter, listener: parent, user: .smokeyJoe, pit: pit,
            board: items, clock: AnyClock(clock))
    }

    @Test("the door passes a login on, and decides nothing")
    func passesLoginOn() async {
        await LoggedOutInteractor(listener: parent).didTapLogin()
        #expect(parent.calls == ["loggedOutDidTapLogin()"])
    }

    @Test("the table passes a logout on")
    func passesLogoutOn() async {
        await table().didTapLogout()
        #expect(parent.calls == ["loggedInDidTapLogout()"])
    }

    @Test("the table passes the pit's items on")
    func passesItemsOn() async {
        await table().announcementsWillPost(Pit().items)
        #expect(parent.calls == ["1 rest"])
    }

    @Test("the table goes to the board when it is tapped, and back when the board is done")
    func goesToTheBoard() async {
        let table = table()
        let ways = Ways(interactor: table)
        await table.wire(router: ways)
        await table.didTapPitBoard()
        #expect(ways.calls == ["routeToPitBoard()"])
        await table.pitBoardDidFinish()
        #expect(ways.calls == ["routeToPitBoard()", "routeFromPitBoard()"])
    }

    @Test("the table shows the menu and the summary, and keeps the pit going")
    func showsTheTable() async {
        let table = table()
        await table.activate()
        await journal.next("foods \(User.smokeyJoe.foods.joined(separator: ", "))")
        await journal.next("summary \(GoldenTick.seedSummary)")
        await clock.waitForSleeper(for: House.tick)
        #expect(User.smokeyJoe.foods.count == 5)
        await table.deactivate()
        #expect(clock.sleeperCount(for: House.tick) == 0)
    }

    @Test("the timer of an older banner does not take a newer one down")
    func keepsTheNewerBanner() async {
        let table = table()
        await table.activate()
        await table.announcementsDidHearLastCall(for: "Brisket")
        await clock.waitForSleeper(for: House.banner)
        clock.advance(by: .seconds(1))
        await table.announcementsDidHearLastCall(for: "Pulled Pork")
        // Both timers, and the pit.
        await clock.waitForSleepers(3)
        // The older timer wakes, and a second later the newer one.
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount(for: House.banner) == 1)
        clock.advance(by: .seconds(1))
        await journal.next("banner none")
        // Waits for both.
        await table.deactivate()
        #expect(
            journal.lines.filter { $0.hasPrefix("banner") } == [
                "banner LAST CALL · Brisket", "banner LAST CALL · Pulled Pork", "banner none",
            ])
    }

    @Test("a guest who leaves takes the banner's timer along")
    func cancelsTheTimer() async {
        let table = table()
        await table.activate()
        await table.announcementsDidHearLastCall(for: "Brisket")
        await clock.waitForSleeper(for: House.banner)
        await table.deactivate()
        #expect(clock.sleeperCount(for: House.banner) == 0)
        #expect(!journal.lines.contains("banner none"))
    }

    @Test("the crier posts the items of a tick when its last call has been heard")
    func postsAfterTheCall() async {
        let crier = AnnouncementsInteractor(listener: parent, pit: pit, board: items)
        await crier.activate()
        await pit.start()
        var posted = items.values.makeAsyncIterator()
        #expect(await posted.next() == Pit().items)
        await clock.pass(House.tick)
        #expect(await posted.next()?.first?.stage == .resting)
        #expect(parent.calls == ["last call Brisket", "2 will rest"])
        await crier.deactivate()
        await pit.stop()
    }

    @Test("the crier posts what happened before it came")
    func catchesUp() async {
        await pit.start()
        await clock.pass(House.tick)
        await clock.waitForSleeper(for: House.tick)
        let crier = AnnouncementsInteractor(listener: parent, pit: pit, board: items)
        await crier.activate()
        #expect(items.value.first?.stage == .resting)
        await crier.deactivate()
        await pit.stop()
    }

    @Test("the board leaves out the stages that have no items, and passes back on")
    func showsSections() async {
        let view = Recording<PitBoard>()
        view.onMessage { [journal] in journal.note(Words.text($0)) }
        let board = PitBoardInteractor(
            presenter: view.presenter, listener: parent, board: items, specials: specials)
        await board.activate()
        await journal.next("sections Lighting 2, Smoking 2, Resting 1")
        items.value = items.value.map { PitItem(id: $0.id, name: $0.name, stage: .served) }
        await journal.next("sections Served 5")
        await board.didTapBack()
        #expect(parent.calls == ["pitBoardDidFinish()"])
        await board.deactivate()
    }

    @Test("starting a pit that runs does nothing, and one that was stopped starts over")
    func startsOnce() async {
        await pit.start()
        await pit.start()
        await clock.waitForSleeper(for: House.tick)
        #expect(clock.sleeperCount(for: House.tick) == 1)
        await pit.stop()
        #expect(clock.sleeperCount(for: House.tick) == 0)
        #expect(pit.items == Pit().items)
        await pit.start()
        await clock.waitForSleeper(for: House.tick)
        await pit.stop()
    }
}
