// InventoryTests: `tree --inventory` of a real worker with a leak.

import Foundation
import ProofSupport
import Testing

/// A session's inventory, as the client prints it.
private struct PrintedInventory: Decodable {
    struct Session: Decodable {
        var session: String
        var inventory: PrintedInventory?
    }

    struct Remnant: Decodable, Equatable {
        var owner: String
        var what: String
        var count: Int
    }

    var remnants: [Remnant]
}

@Suite(.timeLimit(.minutes(10)))
struct InventoryTests {
    /// The inventories of the sessions that are listed.
    private func inventories(_ place: Workplace) async throws -> [PrintedInventory.Session] {
        let (status, lines, errors) = try await place.run(["tree", "--inventory", "--json"])
        #expect(status == 0, "\(errors)")
        return try JSONDecoder().decode(
            [PrintedInventory.Session].self, from: Data(lines.joined().utf8))
    }

    private func inventory(_ place: Workplace) async throws -> PrintedInventory {
        let sessions = try await inventories(place)
        return try #require(sessions.count == 1 ? sessions[0].inventory : nil)
    }

    @Test func `W6: a worker that keeps what it detaches has it named, also after the end`()
        async throws
    {
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app,
            environment: ["NAPKIN_QUESTIONS_KEEP": "1"])
        try await place.daemon()
        let front = try await place.front()
        for _ in 0..<3 {
            try await front.call(Question.desk, "didTapWrite()")
            try await front.call(Question.desk, "didTapTear()")
        }
        let parts = ["the interactor", "the node", "the router", "the sender of its presenter"]
        let expected = parts.map {
            PrintedInventory.Remnant(owner: "desk/note", what: $0, count: 3)
        }
        #expect(try await inventory(place).remnants == expected)
        #expect(try await place.run(["kill", Question.app]).status == 0)
        let ended = try await inventories(place)
        #expect(ended.map(\.session) == [Question.app])
        #expect(ended.first?.inventory?.remnants == expected)
        let (_, lines, _) = try await place.run(["tree", "--inventory"])
        #expect(lines.first == "\(Question.app): has ended")
        #expect(lines.contains("  left: desk/note: the router (3 times)"))
        let (_, plain, _) = try await place.run(["tree"])
        #expect(plain == ["No session is running: `napkin-client attach APP` opens one."])
    }
}
