// CharacterDetailTests: cards and portraits, one at a time, and which of two is shown.

import CharactersContract
import CharactersNetworking
import NapkinCore
import NapkinTesting
import Testing

@testable import CharactersFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CharacterDetailTests {
    @Test("a card is pushed, loaded, and then its portrait")
    func opens() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            try await porch.listener.didSelect("ann")
            #expect(porch.cards == 1)
            let view = try #require(porch.views.newest(CharacterDetail.self))
            #expect(view.arguments?.name == "ann 1")
            await porch.journal.next("card ann 1")
            await porch.journal.next("portrait …")
            await porch.journal.next("portrait 2 × 2 | server")
            try await porch.cardListener.didTapBack()
            #expect(porch.cards == 0)
            // The second time nobody is asked: the card is in memory, the portrait on the disk.
            try await porch.listener.didSelect("ann")
            await porch.journal.next("portrait 2 × 2 | disk")
            #expect(porch.server.count(of: "character ann") == 1)
            #expect(porch.server.count(of: "image /portraits/ann.pgm") == 1)
        }
    }

    @Test("a card of somebody that nobody knows says so")
    func isNotFound() async throws {
        try await Porch.open { porch in
            try await porch.listener.didSelect("zoe")
            await porch.shows("card nobody | not found")
            #expect(porch.clock.sleeperCount(for: Loads.retryAfter) == 0)
        }
    }

    @Test(
        "a card that fails says why, and is there when the server is well again",
        arguments: [
            (FakeServer.Mode.offline, "offline"), (.garbage, "bad data"), (.silent, "timeout 3 s"),
        ])
    func recovers(trouble: (mode: FakeServer.Mode, words: String)) async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            porch.server.mode = trouble.mode
            try await porch.listener.didSelect("ann")
            if trouble.mode == .silent { await porch.clock.pass(.seconds(3)) }
            await porch.shows("card nobody | \(trouble.words)")
            // By itself; the list's server was well when it was asked.
            await porch.clock.waitForSleeper(for: Loads.retryAfter)
            porch.server.mode = .sound
            await porch.clock.pass(Loads.retryAfter)
            await porch.journal.wait(for: "portrait 2 × 2 | server")
            #expect(porch.card == "card ann 1")
        }
    }

    @Test("a portrait that is no picture says so beside its card")
    func hasNoPortrait() async throws {
        try await Porch.open { porch in
            porch.server.hold()
            try await porch.listener.didSelect("ann")
            await porch.server.journal.wait(for: "character ann")
            porch.server.mode = .garbage
            porch.server.release()
            await porch.journal.wait(for: "portrait bad data")
            #expect(porch.card == "card ann 1")
            porch.server.mode = .sound
            try await porch.cardListener.didTapRefresh()
            await porch.journal.wait(for: "portrait 2 × 2 | server")
        }
    }

    @Test("a portrait that cannot be kept is shown, with the reason")
    func isNotKept() async throws {
        try await Porch.open { porch in
            porch.files.refuse(.init("disk full"))
            try await porch.listener.didSelect("ann")
            await porch.journal.wait(for: "portrait 2 × 2 | server | disk full")
        }
    }

    @Test("of two that are opened while the first one loads, the newest is shown")
    func newestWins() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            porch.server.hold()
            try await porch.listener.didSelect("ann")
            await porch.server.journal.wait(for: "character ann")
            try await porch.listener.didSelect("bob")
            await porch.server.journal.wait(for: "character bob")
            #expect(porch.cards == 1)
            // Nobody waits for the first one any more.
            await porch.server.journal.wait(for: "gone character ann")
            porch.server.release()
            await porch.journal.wait(for: "portrait 2 × 2 | server")
            #expect(porch.card == "card bob 1")
            #expect(!porch.journal.lines.contains("card ann 1"))
            #expect(porch.server.count(of: "image /portraits/ann.pgm") == 0)
        }
    }

    @Test("the same one opened twice is opened once")
    func opensOnce() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            porch.server.hold()
            let listener = try porch.listener
            let taps = (1...3).map { _ in dispatch { await listener.didSelect("ann") } }
            for tap in taps { await tap.value }
            await porch.server.journal.wait(for: "character ann")
            #expect(porch.cards == 1)
            porch.server.release()
            await porch.journal.wait(for: "portrait 2 × 2 | server")
            #expect(porch.server.count(of: "character ann") == 1)
        }
    }

    @Test("two refreshes of a card at once make one request each")
    func refreshesTwice() async throws {
        try await Porch.open { porch in
            try await porch.listener.didSelect("ann")
            await porch.journal.wait(for: "portrait 2 × 2 | server")
            porch.server.version = 2
            porch.server.hold()
            let listener = try porch.cardListener
            let taps = (1...2).map { _ in dispatch { await listener.didTapRefresh() } }
            let repository = try porch.repository
            while repository.profileWaiters("ann") < taps.count { await Task.yield() }
            porch.server.release()
            for tap in taps { await tap.value }
            #expect(porch.card == "card ann 2")
            #expect(porch.server.count(of: "character ann") == 2)
            #expect(porch.server.count(of: "image /portraits/ann.pgm") == 2)
        }
    }

    @Test("a card that is closed while it loads leaves nothing")
    func leavesNothing() async throws {
        try await Porch.open { porch in
            await porch.shows("list 2 of 5: ann 1, bob 1 +")
            porch.server.mode = .silent
            try await porch.listener.didSelect("ann")
            await porch.server.journal.wait(for: "character ann")
            try await porch.cardListener.didTapBack()
            await porch.server.journal.wait(for: "gone character ann")
            #expect(porch.cards == 0)
            #expect(porch.clock.sleeperCount == 0)
            #expect(porch.session.remnants == [])
        }
    }
}
