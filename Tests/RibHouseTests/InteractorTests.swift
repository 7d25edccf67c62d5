// InteractorTests: each feature alone, between a recording presenter and a recording parent.

import NapkinCore
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct InteractorTests {
    let journal = Journal()
    let clock = HandClock()
    let parent: ParentRecorder
    let pit: PitService
    let board = StateCell(Pit().items)

    init() {
        parent = ParentRecorder(journal)
        pit = PitService(ticker: Ticker(interval: House.tick, sleep: clock.sleep))
    }

    private func table() -> LoggedInInteractor {
        LoggedInInteractor(
            presenter: LoggedInRecorder(journal), listener: parent, user: .smokeyJoe, pit: pit,
            board: board, sleep: clock.sleep)
    }

    @Test("the door passes a login on, and decides nothing")
    func passesLoginOn() async {
        await LoggedOutInteractor(listener: parent).didTapLogin()
        #expect(journal.lines == ["login"])
    }

    @Test("the table passes a logout on")
    func passesLogoutOn() async {
        await table().didTapLogout()
        #expect(journal.lines == ["logout"])
    }

    @Test("the table shows the menu and the summary, and keeps the pit going")
    func showsTheTable() async {
        let table = table()
        await table.activate()
        await journal.read("foods 5")
        await journal.read("summary \(GoldenTick.seedSummary)")
        await clock.sleeper(for: House.tick)
        await table.deactivate()
        #expect(clock.sleepers(for: House.tick) == 0)
    }

    @Test("the timer of an older banner does not take a newer one down")
    func keepsTheNewerBanner() async {
        let table = table()
        await table.activate()
        await table.announcementsDidHearLastCall(for: "Brisket")
        await clock.sleeper(for: House.banner)
        await table.announcementsDidHearLastCall(for: "Pulled Pork")
        await clock.pass(House.banner)
        await clock.pass(House.banner)
        await journal.read("banner none")
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
        await clock.sleeper(for: House.banner)
        await table.deactivate()
        #expect(clock.sleepers(for: House.banner) == 0)
        #expect(!journal.lines.contains("banner none"))
    }

    @Test("the crier posts the items of a tick when its last call has been heard")
    func postsAfterTheCall() async {
        let crier = AnnouncementsInteractor(listener: parent, pit: pit, board: board)
        await crier.activate()
        await pit.start()
        var items = board.values.makeAsyncIterator()
        #expect(await items.next() == Pit().items)
        await clock.pass(House.tick)
        #expect(await items.next()?.first?.stage == .resting)
        #expect(journal.lines == ["last call Brisket"])
        await crier.deactivate()
        await pit.stop()
    }

    @Test("the crier posts what happened before it came")
    func catchesUp() async {
        await pit.start()
        await clock.pass(House.tick)
        await clock.sleeper(for: House.tick)
        let crier = AnnouncementsInteractor(listener: parent, pit: pit, board: board)
        await crier.activate()
        #expect(board.value.first?.stage == .resting)
        await crier.deactivate()
        await pit.stop()
    }

    @Test("the board leaves out the stages that have no items, and passes back on")
    func showsSections() async {
        let specials = SpecialsService(
            ticker: Ticker(interval: House.specials, sleep: clock.sleep))
        let interactor = PitBoardInteractor(
            presenter: PitBoardRecorder(journal), listener: parent, board: board,
            specials: specials)
        await interactor.activate()
        await journal.read("sections Lighting 2, Smoking 2, Resting 1")
        board.value = board.value.map { PitItem(id: $0.id, name: $0.name, stage: .served) }
        await journal.read("sections Served 5")
        await interactor.didTapBack()
        await journal.read("board finished")
        await interactor.deactivate()
    }

    @Test("starting a pit that runs does nothing, and one that was stopped starts over")
    func startsOnce() async {
        await pit.start()
        await pit.start()
        await clock.sleeper(for: House.tick)
        #expect(clock.sleepers(for: House.tick) == 1)
        await pit.stop()
        #expect(clock.sleepers(for: House.tick) == 0)
        #expect(pit.items == Pit().items)
        await pit.start()
        await clock.sleeper(for: House.tick)
        await pit.stop()
    }
}
