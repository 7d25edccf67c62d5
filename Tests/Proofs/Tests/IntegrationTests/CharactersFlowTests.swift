// CharactersFlowTests: list and card end to end, with a real server that is stopped.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CharactersFlowTests {
    private static let list = "characters.list"
    private static let card = "characters.detail"

    private func withFront(
        _ body: (Workplace, CharactersServer, ControlFront) async throws -> Void
    ) async throws {
        let server = try await CharactersServer()
        let place = Workplace(
            app: "characters", environment: ["CHARACTERS_SERVER": server.address])
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.list)
        try await body(place, server, front)
        await server.stop()
    }

    private func select(_ front: ControlFront, _ id: String) async throws {
        try await front.call(Self.list, "didSelect(_:)", #"["\#(id)"]"#)
    }

    @Test func `all pages come, then a card with its portrait, and the disk keeps it`()
        async throws
    {
        try await withFront { place, server, front in
            try await front.showsList { $0.names.count == 8 && $0.total == 20 }
            try await front.call(Self.list, "didTapMore()")
            try await front.call(Self.list, "didTapMore()")
            let list = try #require(try front.list)
            #expect(list.names.count == 20)
            #expect(list.names.first == "Mesquite Mae")
            #expect(!list.hasMore)

            try await select(front, "mesquite-mae")
            try await front.shows {
                $0.value(Self.card, "present(portrait:)")?.contains(#""origin":"server""#) == true
            }
            #expect(
                front.screen.value(Self.card, "present(detail:)")?.contains("long patience") == true
            )
            let cache = place.directory + "/cache/napkin/characters"
            let files = try FileManager.default.contentsOfDirectory(atPath: cache)
            #expect(files.count == 1 && files[0].hasSuffix(".image"), "\(files)")
            try await front.call(Self.card, "didTapBack()")
            try await select(front, "nobody-at-all")
            try await front.shows {
                $0.value(Self.card, "present(detail:)")?.contains("notFound") == true
            }

            // The worker dies, and the server as well: the list is gone, the portrait is not. A
            // card that is asked for is in nobody's memory, so that only the list's problem shows.
            try await front.call(Self.card, "didTapBack()")
            #expect(!front.screen.features.contains(Self.card))
            await server.stop()
            try await place.killWorker()
            try await front.reads { $0.type == "resumed" }
            try await front.showsList { $0.problem.contains("offline") }
            try await server.start()
            try await front.call(Self.list, "didTapRefresh()")
            try await select(front, "mesquite-mae")
            try await front.shows {
                $0.value(Self.card, "present(portrait:)")?.contains(#""origin":"disk""#) == true
            }
        }
    }

    @Test func `the server says what it cannot do, and that its port is taken`() async throws {
        let server = try await CharactersServer()
        let second = try Child(
            Product.path("characters-server"), ["--port", "\(server.port)"])
        #expect(await second.exit() != 0)
        let errors = await second.allErrors()
        #expect(errors.contains("cannot listen at \(server.address)"), "\(errors)")
        #expect(errors.contains("choose another --port"), "\(errors)")
        let mistakes = [
            (["--delay", "3601"], "--delay takes 0 to 3600 seconds"),
            (["--port", "70000"], "--port"),
            (["control", "--port", "1"], "nobody listens at 127.0.0.1:1"),
        ]
        for (arguments, words) in mistakes {
            let mistaken = try Child(Product.path("characters-server"), arguments)
            #expect(await mistaken.exit() != 0)
            let errors = await mistaken.allErrors()
            #expect(errors.contains(words), "\(errors)")
        }
    }
}

/// What the list's screen shows.
struct ShownCharacters {
    let names: [String]
    let total: Int
    let hasMore: Bool
    /// As JSON; empty without one.
    let problem: String

    init?(_ text: String?) throws {
        guard let text else { return nil }
        let object = try JSON.object(text)
        let rows = object["rows"] as? [[String: Any]] ?? []
        names = rows.compactMap { $0["name"] as? String }
        total = object["total"] as? Int ?? -1
        hasMore = object["hasMore"] as? Bool ?? true
        let value = object["problem"]
        problem = value == nil || value is NSNull ? "" : try JSON.text(value)
    }
}

extension ControlFront {
    /// The newest list that has been read.
    var list: ShownCharacters? {
        get throws { try ShownCharacters(screen.value("characters.list", "present(list:)")) }
    }

    /// Reads until a list fits.
    func showsList(_ fits: (ShownCharacters) -> Bool) async throws {
        if let list = try list, fits(list) { return }
        try await reads { line in
            guard line.isState("present(list:)"),
                let text = try? JSON.text(line.object["value"]),  // it came as JSON
                let list = try? ShownCharacters(text)  // as above
            else { return false }
            return fits(list)
        }
    }
}
