// SurvivalTests: a house that comes back as it was: its guest, its fire and its screen.

import NapkinCore
import NapkinTesting
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SurvivalTests {
    /// A house whose states are kept, and also restored beside after each handler.
    private func withHouse(
        _ body: (TestSession, RecordingViews) async throws -> Void
    ) async throws {
        let session = await TestSession.launch(RibHouse.self, isDurable: true)
        let views = RecordingViews()
        let journal = views.journal
        views.record(Launch.self).record(LoggedOut.self)
            .record(LoggedIn.self) { $0.onMessage { journal.note(Words.text($0)) } }
            .record(PitBoard.self) { $0.onMessage { journal.note(Words.text($0)) } }
        _ = try await session.attach(views)
        do {
            try await body(session, views)
            try await session.expectQuiescent()
        } catch {
            await session.end()
            throw error
        }
        await session.end()
    }

    private func login(_ views: RecordingViews) async throws {
        await views.newest(LoggedOut.self)?.listener?.didTapLogin()
        await views.journal.wait { $0.contains { $0.contains("+ logged-in") } }
    }

    /// Returns what fronts are shown by the next worker.
    private func restart(_ session: TestSession, _ views: RecordingViews) async throws -> [String] {
        try await session.expectQuiescent()
        views.journal.skip()
        await session.restart { await RibHouse.makeRoot(session.context) }
        return views.journal.unread
    }

    @Test("the board is pushed again, with the pit and the specials as they were")
    func comesBack() async throws {
        try await withHouse { session, views in
            let journal = views.journal
            try await login(views)
            await views.newest(LoggedIn.self)?.listener?.didTapPitBoard()
            await journal.next("sections Lighting 2, Smoking 2, Resting 1")
            // The specials' ticker; the pit's is waited for by `pass`.
            await session.clock.waitForSleeper(for: .seconds(6))
            await session.clock.pass(.seconds(4))
            await journal.next("banner LAST CALL · Brisket")
            await journal.next("sections Lighting 2, Smoking 1, Resting 2")
            session.clock.advance(by: .seconds(2))
            await journal.next("specials Dino Beef Rib, Skillet Cornbread")
            let lines = try await restart(session, views)
            // Nobody is shown the door, or the pit of the morning.
            #expect(!lines.contains { $0.contains("logged-out") || $0.contains("2 SMOKING") })
            #expect(!lines.contains { $0.contains("Smoking 2") || $0.contains("Hot Links") })
            await journal.wait { lines in
                [
                    "banner LAST CALL · Brisket", "summary 1 SMOKING · 2 RESTING",
                    "sections Lighting 2, Smoking 1, Resting 2",
                    "specials Dino Beef Rib, Skillet Cornbread",
                ].allSatisfy(lines.suffix(12).contains)
            }
            // Banner, pit and specials go on.
            for interval in [4, 6] { await session.clock.waitForSleeper(for: .seconds(interval)) }
            await session.clock.pass(.seconds(3))
            await journal.next("banner none")
            session.clock.advance(by: .seconds(1))
            await journal.next("sections Lighting 2, Smoking 1, Resting 1, Served 1")
            session.clock.advance(by: .seconds(2))
            await journal.next("specials Skillet Cornbread, Banana Pudding")
        }
    }

    @Test("a guest who has left is not there again, and the pit has kept its items")
    func keepsTheDoor() async throws {
        try await withHouse { session, views in
            let journal = views.journal
            try await login(views)
            await session.clock.pass(.seconds(4))
            await journal.next("summary 1 SMOKING · 2 RESTING")
            await views.newest(LoggedIn.self)?.listener?.didTapLogout()
            await journal.wait { $0.contains { $0.hasPrefix("- logged-in") } }
            let lines = try await restart(session, views)
            #expect(!lines.contains { $0.contains("logged-in") })
            try await login(views)
            await journal.next("summary 1 SMOKING · 2 RESTING")
        }
    }
}
