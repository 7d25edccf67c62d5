// NewsTests: what the pit does, as a guest sees it.

import RibHouseContract
import Testing

@testable import RibHouseFeature

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NewsTests {
    let house: House
    var journal: Journal { house.journal }

    init() async {
        house = await House()
        await house.login()
        await journal.read("summary \(GoldenTick.seedSummary)")
    }

    @Test("the first tick comes one interval after the start")
    func waitsFirst() async {
        await house.clock.sleeper(for: House.tick)
        #expect(house.clock.sleepers(for: House.tick) == 1)
        #expect(journal.unread == [])
    }

    @Test("the summaries follow the golden table, each after its last call")
    func followsTheTable() async {
        for row in GoldenTick.table {
            await house.clock.pass(House.tick)
            await journal.read("summary \(row.summary)")
        }
        let news = journal.lines.filter { $0.hasPrefix("banner L") || $0.hasPrefix("summary") }
        let expected = GoldenTick.table.flatMap { row in
            (row.lastCall.map { ["banner LAST CALL · \($0)"] } ?? []) + ["summary \(row.summary)"]
        }
        #expect(news == ["summary \(GoldenTick.seedSummary)"] + expected)
    }

    @Test("the board, too, changes after the last call")
    func changesTheBoardLast() async {
        #expect(await house.openBoard())
        await journal.read("sections Lighting 2, Smoking 2, Resting 1")
        await house.clock.pass(House.tick)
        await journal.read("banner LAST CALL · Brisket")
        await journal.read("sections Lighting 2, Smoking 1, Resting 2")
        await house.clock.pass(House.tick)
        await journal.read("sections Lighting 2, Smoking 1, Resting 1, Served 1")
    }

    @Test("a banner is taken down after three seconds")
    func takesTheBannerDown() async {
        await house.clock.pass(House.tick)
        await journal.read("banner LAST CALL · Brisket")
        await house.clock.pass(House.banner)
        await journal.read("banner none")
    }

    @Test("login, logout, login keeps the items, and the pit rests in between")
    func keepsTheItems() async {
        await house.clock.pass(House.tick)
        await journal.read("summary 1 SMOKING · 2 RESTING")
        await house.clock.sleeper(for: House.tick)
        await house.logout()
        #expect(house.clock.sleepers(for: House.tick) == 0)
        #expect(house.clock.sleepers(for: House.banner) == 0)
        await house.login()
        await journal.read("summary 1 SMOKING · 2 RESTING")
        await house.clock.pass(House.tick)
        await journal.read("summary 1 SMOKING · 1 RESTING")
        // Nothing is left of the banner of the first visit.
        #expect(!journal.lines.contains("banner none"))
    }

    @Test("specials go around by one dish while the board is open")
    func rotatesSpecials() async {
        #expect(await house.openBoard())
        await journal.read("specials Hot Links, Dino Beef Rib")
        let rounds = [
            "Dino Beef Rib, Skillet Cornbread", "Skillet Cornbread, Banana Pudding",
            "Banana Pudding, Hot Links", "Hot Links, Dino Beef Rib",
        ]
        for round in rounds {
            await house.clock.pass(House.specials)
            await journal.read("specials \(round)")
        }
        await house.clock.sleeper(for: House.specials)
        #expect(await house.screen.tap("didTapBack()", on: PitBoard.id))
        #expect(house.clock.sleepers(for: House.specials) == 0)
    }
}
