// NewsTests: what the pit does, as a guest sees it.

import NapkinTesting
import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct NewsTests {
    /// A house with a guest who has seen the summary.
    private func visit(
        _ body: (House, Journal) async throws -> Void
    ) async throws {
        try await House.open { house in
            await house.login()
            await house.journal.next("summary \(GoldenTick.seedSummary)")
            await house.journal.next("- logged-out; + logged-in in loggedIn (embed)")
            try await body(house, house.journal)
        }
    }

    @Test("the first tick comes one interval after the start")
    func waitsFirst() async throws {
        try await visit { house, journal in
            await house.clock.waitForSleeper(for: House.tick)
            #expect(house.clock.sleeperCount(for: House.tick) == 1)
            house.clock.advance(by: House.tick - .milliseconds(1))
            #expect(house.clock.sleeperCount(for: House.tick) == 1)
            #expect(journal.unread == [])
            house.clock.advance(by: .milliseconds(1))
            await journal.next("summary 1 SMOKING · 2 RESTING")
        }
    }

    @Test("summaries and banners follow the golden table, and nothing else is said")
    func followsTheTable() async throws {
        try await visit { house, journal in
            var expected = ["summary \(GoldenTick.seedSummary)"]
            var hasBanner = false
            for row in GoldenTick.table {
                await house.clock.waitForSleeper(for: House.tick)
                if hasBanner {
                    await house.clock.pass(House.banner)
                    expected.append("banner none")
                    await journal.next("banner none")
                    house.clock.advance(by: House.tick - House.banner)
                } else {
                    house.clock.advance(by: House.tick)
                }
                if let item = row.lastCall { expected.append("banner LAST CALL · \(item)") }
                hasBanner = row.lastCall != nil
                expected.append("summary \(row.summary)")
                await journal.next("summary \(row.summary)")
            }
            // What is said until then is there when this has been answered.
            #expect(await house.openBoard())
            let news = journal.lines.filter { $0.hasPrefix("banner") || $0.hasPrefix("summary") }
            #expect(news == expected)
        }
    }

    @Test("the board, too, changes after the last call")
    func changesTheBoardLast() async throws {
        try await visit { house, journal in
            #expect(await house.openBoard())
            await journal.next("sections Lighting 2, Smoking 2, Resting 1")
            await house.clock.pass(House.tick)
            await journal.next("banner LAST CALL · Brisket")
            await journal.next("sections Lighting 2, Smoking 1, Resting 2")
            await house.clock.pass(House.tick)
            await journal.next("sections Lighting 2, Smoking 1, Resting 1, Served 1")
        }
    }

    @Test("a banner is taken down after three seconds")
    func takesTheBannerDown() async throws {
        try await visit { house, journal in
            await house.clock.pass(House.tick)
            await journal.next("banner LAST CALL · Brisket")
            await house.clock.pass(House.banner)
            await journal.next("banner none")
        }
    }

    @Test("login, logout, login keeps the items, and the pit rests in between")
    func keepsTheItems() async throws {
        try await visit { house, journal in
            await house.clock.pass(House.tick)
            await journal.next("summary 1 SMOKING · 2 RESTING")
            await house.clock.waitForSleeper(for: House.tick)
            await house.logout()
            #expect(house.clock.sleeperCount(for: House.tick) == 0)
            #expect(house.clock.sleeperCount(for: House.banner) == 0)
            await house.login()
            await journal.next("summary 1 SMOKING · 2 RESTING")
            await house.clock.pass(House.tick)
            await journal.next("summary 1 SMOKING · 1 RESTING")
            // Nothing is left of the banner of the first visit.
            #expect(!journal.lines.contains("banner none"))
        }
    }

    @Test("specials go around by one dish while the board is open")
    func rotatesSpecials() async throws {
        try await visit { house, journal in
            #expect(await house.openBoard())
            await journal.next("specials Hot Links, Dino Beef Rib")
            let rounds = [
                "Dino Beef Rib, Skillet Cornbread", "Skillet Cornbread, Banana Pudding",
                "Banana Pudding, Hot Links", "Hot Links, Dino Beef Rib",
            ]
            for round in rounds {
                await house.clock.pass(House.specials)
                await journal.next("specials \(round)")
            }
            await house.clock.waitForSleeper(for: House.specials)
            #expect(await house.tap(PitBoard.self) { await $0.didTapBack() })
            #expect(house.clock.sleeperCount(for: House.specials) == 0)
        }
    }
}
