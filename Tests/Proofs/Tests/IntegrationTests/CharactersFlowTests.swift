// CharactersFlowTests: list and card end to end, with a real server that is stopped, slow and mad.

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
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.list)
        try await body(place, server, front)
        await server.stop()
    }

    private func select(_ front: ControlFront, _ id: String) async throws {
        let id = try front.send(Self.list, "didSelect(_:)", args: #"["\#(id)"]"#)
        try await front.reads { $0.type == "reply" && $0.id == id }
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

            // The worker dies, and the server as well: the list is gone, the portrait is not. A
            // card that is asked for is in nobody's memory, so that only the list's problem shows.
            try await front.call(Self.card, "didTapBack()")
            #expect(!front.screen.features.contains(Self.card))
            await server.stop()
            kill(try await place.workerPID(), SIGKILL)
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

    @Test
    func `a favourite and an open card are there after the worker and the server were killed`()
        async throws
    {
        try await withFront { place, server, front in
            try await front.showsList { $0.names.count == 8 }
            let id = try front.send(
                Self.list, "didTapFavourite(_:)", args: #"["hickory-hank"]"#)
            try await front.shows { $0.favourites == ["Hickory Hank"] }
            try await front.reads { $0.type == "reply" && $0.id == id && $0.isOK }
            try await select(front, "pepper-pru")
            await server.stop()
            kill(try await place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.mounts(Self.card)
            try await front.shows { $0.favourites == ["Hickory Hank"] }
            try await front.showsList { $0.names.isEmpty && $0.problem.contains("offline") }
            // Somebody who comes now sees the same.
            let other = try await place.front()
            try await other.shows { $0.favourites == ["Hickory Hank"] }
            try await server.start()
            try await front.shows {
                $0.value(Self.card, "present(detail:)")?.contains("Pepper Pru") == true
            }
            try await front.call(Self.card, "didTapBack()")
            kill(try await place.workerPID(), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            try await front.showsList { $0.names.count == 8 }
            // All of the snapshot has been read when an event is answered.
            try await front.call(Self.list, "didTapRefresh()")
            #expect(!front.screen.features.contains(Self.card))
            #expect(front.screen.favourites == ["Hickory Hank"])
        }
    }

    @Test func `a server that is stopped is said to be, and found again by itself`() async throws {
        try await withFront { _, server, front in
            try await front.showsList { $0.names.count == 8 }
            await server.stop()
            try await front.call(Self.list, "didTapRefresh()")
            let list = try #require(try front.list)
            #expect(list.problem.contains("offline"), "\(list)")
            #expect(list.problem.contains(server.address), "\(list)")
            // What was known is still there, and is said to be old.
            #expect(list.names.count == 8)
            #expect(list.staleSeconds != nil)
            try await select(front, "hickory-hank")
            try await front.shows {
                $0.value(Self.card, "present(detail:)")?.contains("offline") == true
            }
            try await server.start()
            // Nobody presses a key.
            try await front.showsList { $0.problem.isEmpty && $0.staleSeconds == nil }
            try await front.shows {
                $0.value(Self.card, "present(portrait:)")?.contains(#""origin":"server""#) == true
            }
        }
    }

    @Test func `a server that takes five seconds is too slow, and then in time again`()
        async throws
    {
        try await withFront { _, server, front in
            try await front.showsList { $0.names.count == 8 }
            try await server.behaves(["--delay", "5"])
            let begin = ContinuousClock.now
            try await front.call(Self.list, "didTapRefresh()")
            #expect(ContinuousClock.now - begin >= .seconds(3))
            #expect(try front.list?.problem == #"{"timeout":{"seconds":3}}"#)
            #expect(try front.list?.names.count == 8)
            try await server.behaves()
            try await front.call(Self.list, "didTapRefresh()")
            #expect(try front.list?.problem == "")
        }
    }

    @Test func `a server that sends garbage is said to, and then understood again`() async throws {
        try await withFront { _, server, front in
            try await server.behaves(["--garbage"])
            // By a policy that has nothing in its hands.
            let id = try front.send(Self.list, "didChoose(policy:)", args: #"["none"]"#)
            try await front.reads { $0.type == "reply" && $0.id == id }
            #expect(try front.list?.problem.contains("badData") == true)
            try await select(front, "pepper-pru")
            try await front.shows {
                $0.value(Self.card, "present(detail:)")?.contains("badData") == true
            }
            try await server.behaves()
            try await front.call(Self.card, "didTapRefresh()")
            #expect(
                front.screen.value(Self.card, "present(detail:)")?.contains("Pepper Pru") == true)
            try await front.call(Self.list, "didTapRefresh()")
            #expect(try front.list?.problem == "")
        }
    }

    @Test func `one that the server does not have is not found`() async throws {
        try await withFront { _, _, front in
            try await select(front, "nobody-at-all")
            try await front.shows {
                $0.value(Self.card, "present(detail:)")?.contains("notFound") == true
            }
        }
    }

    @Test func `settings that make no sense are said on the screen`() async throws {
        let place = Workplace(
            app: "characters", environment: ["CHARACTERS_SERVER": "smoke.example"])
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.showsList { $0.problem.contains("'smoke.example' is not a server") }
    }

    @Test func `a port that is taken is said to be`() async throws {
        let server = try await CharactersServer()
        let second = try Child(
            Product.path("characters-server"), ["--port", "\(server.port)"])
        #expect(await second.exit() != 0)
        let errors = await second.allErrors()
        #expect(errors.contains("cannot listen at \(server.address)"), "\(errors)")
        #expect(errors.contains("choose another --port"), "\(errors)")
    }

    @Test(arguments: [
        (["--delay", "3601"], "--delay takes 0 to 3600 seconds"),
        (["--port", "70000"], "--port"),
        (["control", "--port", "1"], "nobody listens at 127.0.0.1:1"),
    ])
    func `the server says what it cannot do`(arguments: [String], words: String) async throws {
        let server = try Child(Product.path("characters-server"), arguments)
        #expect(await server.exit() != 0)
        let errors = await server.allErrors()
        #expect(errors.contains(words), "\(errors)")
    }
}

/// What the list's screen shows.
struct ShownCharacters {
    let names: [String]
    let total: Int
    let hasMore: Bool
    let staleSeconds: Int?
    /// As JSON; empty without one.
    let problem: String

    init?(_ text: String?) throws {
        guard let text else { return nil }
        let object = try JSON.object(text)
        let rows = object["rows"] as? [[String: Any]] ?? []
        names = rows.compactMap { $0["name"] as? String }
        total = object["total"] as? Int ?? -1
        hasMore = object["hasMore"] as? Bool ?? true
        staleSeconds = object["staleSeconds"] as? Int
        let value = object["problem"]
        problem = value == nil || value is NSNull ? "" : try JSON.text(value)
    }
}

extension Screen {
    /// The names of the favourites; `nil` unless the list shows them.
    fileprivate var favourites: [String]? {
        guard let text = value("characters.list", "present(favourites:)"),
            // It came as JSON.
            let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        else { return nil }
        return (value as? [[String: Any]])?.compactMap { $0["name"] as? String }
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
