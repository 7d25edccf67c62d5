// PitTests: the model, without a clock, and the tempo that the environment sets.

import RibHouseContract
import Testing

@testable import RibHouseFeature

/// One row of the golden table: what a tick says, and the summary after it.
struct GoldenTick: Sendable {
    var lastCall: String?
    var smoking: Int
    var resting: Int

    var summary: String { "\(smoking) SMOKING · \(resting) RESTING" }

    static let seedSummary = "2 SMOKING · 1 RESTING"

    static let table = [
        GoldenTick(lastCall: "Brisket", smoking: 1, resting: 2),
        GoldenTick(smoking: 1, resting: 1),
        GoldenTick(lastCall: "Pulled Pork", smoking: 0, resting: 2),
        GoldenTick(smoking: 0, resting: 1),
        GoldenTick(smoking: 1, resting: 1),
        GoldenTick(lastCall: "St. Louis Ribs", smoking: 0, resting: 2),
        GoldenTick(smoking: 0, resting: 1),
        GoldenTick(smoking: 0, resting: 0),
        GoldenTick(smoking: 1, resting: 0),
        GoldenTick(lastCall: "Smoked Sausage", smoking: 0, resting: 1),
        GoldenTick(smoking: 0, resting: 0),
        GoldenTick(smoking: 2, resting: 1),
    ]
}

@Suite
struct PitTests {
    @Test("the pit follows the golden table for three rounds")
    func followsTheTable() {
        var pit = Pit()
        for round in 1...3 {
            for (number, row) in GoldenTick.table.enumerated() {
                let event = pit.tick()
                let place = Comment(rawValue: "round \(round), tick \(number + 1)")
                #expect(event == row.lastCall.map(PitEvent.lastCall), place)
                #expect(pit.items.count { $0.stage == .smoking } == row.smoking, place)
                #expect(pit.items.count { $0.stage == .resting } == row.resting, place)
            }
            #expect(pit == Pit())
        }
    }

    @Test("a tick moves one item, and only the first that is not served")
    func movesOne() {
        var pit = Pit()
        for _ in 1...2 { _ = pit.tick() }
        #expect(
            pit.items.map(\.stage) == [.served, .smoking, .lighting, .resting, .lighting])
        _ = pit.tick()
        #expect(pit.items.map(\.stage) == [.served, .resting, .lighting, .resting, .lighting])
    }

    @Test(
        "a tick that makes no sense is the default",
        arguments: [nil, "", "fast", "0", "-1", "nan", "inf", "1e300", "86401"])
    func refusesNonsense(text: String?) {
        #expect(Tempo.tick(from: text) == .seconds(4))
    }

    @Test("a tick is in seconds, and specials take one and a half of it")
    func readsSeconds() {
        #expect(Tempo.tick(from: "0.5") == .milliseconds(500))
        #expect(Tempo().specials.interval == .seconds(6))
        #expect(Tempo(tick: .milliseconds(500)).specials.interval == .milliseconds(750))
    }
}
