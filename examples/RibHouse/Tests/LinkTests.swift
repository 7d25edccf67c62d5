// LinkTests: the URLs that lead into the house.

import NapkinCore
import NapkinTesting
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct LinkTests {
    private let progress = Journal()

    private func open(_ url: String, in house: House) throws -> WorkflowRun {
        try RibHouse.deepLinks.open(url, of: RibHouse.id, on: house.root) { [progress] step in
            progress.note("\(step.name) \(step.state)")
        }
    }

    private func isCompleted(_ run: WorkflowRun) async -> Bool {
        if case .completed = await run.end { true } else { false }
    }

    /// Asks for the board, which leaves it open: the reply comes after what the link has changed.
    private func seesTheBoard(in house: House) async -> Bool {
        await house.openBoard() && house.features == ["launch", "logged-in", "pit-board"]
    }

    @Test("W4: a link that comes to the door leads to the board after login")
    func waitsForLogin() async throws {
        try await House.open { house in
            let run = try open("ribhouse://pit-board", in: house)
            await progress.next("wait for login running")
            #expect(house.features == ["launch", "logged-out"])
            await house.login()
            #expect(await isCompleted(run))
            await house.journal.next("+ pit-board in pitBoard (push)")
            #expect(house.features == ["launch", "logged-in", "pit-board"])
        }
    }

    @Test("a link that comes to the table leads to the board at once, also when it is open")
    func opensAtOnce() async throws {
        try await House.open { house in
            await house.login()
            let first = try open("ribhouse://pit-board", in: house)
            #expect(await isCompleted(first))
            await house.journal.next("+ pit-board in pitBoard (push)")
            #expect(house.features == ["launch", "logged-in", "pit-board"])
            let second = try open("ribhouse://pit-board", in: house)
            #expect(await isCompleted(second))
            #expect(await seesTheBoard(in: house))
            #expect(house.batches.count { $0.contains("+ pit-board") } == 1)
        }
    }

    @Test("after a logout it waits for the next guest")
    func waitsForTheNext() async throws {
        try await House.open { house in
            await house.login()
            await house.logout()
            let run = try open("ribhouse://pit-board", in: house)
            await progress.next("wait for login running")
            #expect(!run.hasEnded)
            await house.login()
            #expect(await isCompleted(run))
        }
    }

    @Test("an unknown place is refused with the known one")
    func refuses() async throws {
        try await House.open { house in
            let error = try #require(throws: DeepLinkError.self) {
                try open("ribhouse://cellar", in: house)
            }
            #expect(
                error.message == "rib-house does not know ribhouse://cellar; it knows "
                    + "ribhouse://pit-board (opens the pit board after login)")
        }
    }
}
