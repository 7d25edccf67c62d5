// LinkTests: the URLs that lead into the house.

import NapkinCore
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LinkTests {
    let house: House
    private let progress = Journal()

    init() async { house = await House() }

    private func open(_ url: String) throws -> WorkflowRun {
        try RibHouse.deepLinks.open(url, of: RibHouse.id, on: house.root) { [progress] step in
            progress.note("\(step.name) \(step.state)")
        }
    }

    private func isCompleted(_ run: WorkflowRun) async -> Bool {
        if case .completed = await run.end { true } else { false }
    }

    @Test("W4: a link that comes to the door leads to the board after login")
    func waitsForLogin() async throws {
        let run = try open("ribhouse://pit-board")
        await progress.read("wait for login running")
        #expect(house.screen.features == ["launch", "logged-out"])
        await house.login()
        #expect(await isCompleted(run))
        #expect(house.screen.features == ["launch", "logged-in", "pit-board"])
    }

    @Test("a link that comes to the table leads to the board at once, also when it is open")
    func opensAtOnce() async throws {
        await house.login()
        for _ in 0..<2 {
            #expect(await isCompleted(try open("ribhouse://pit-board")))
            #expect(house.screen.features == ["launch", "logged-in", "pit-board"])
        }
    }

    @Test("after a logout it waits for the next guest")
    func waitsForTheNext() async throws {
        await house.login()
        await house.logout()
        let run = try open("ribhouse://pit-board")
        await progress.read("wait for login running")
        #expect(!run.hasEnded)
        await house.login()
        #expect(await isCompleted(run))
    }

    @Test("an unknown place is refused with the known one")
    func refuses() throws {
        let error = try #require(throws: DeepLinkError.self) { try open("ribhouse://cellar") }
        #expect(
            error.message == "rib-house does not know ribhouse://cellar; it knows "
                + "ribhouse://pit-board (opens the pit board after login)")
    }
}
