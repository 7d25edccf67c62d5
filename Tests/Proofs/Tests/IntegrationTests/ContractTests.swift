// ContractTests: fronts whose contract is not the worker's, at attach.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ContractTests {
    private let place = Workplace()

    private static let board = "rib-house.pit-board"

    /// A front that has been let in to the worker and says what it was built with.
    private func front(
        of place: Workplace, naming contracts: Item
    ) throws -> RawPeer {
        let ticket = try RawPeer.ticket(at: place.socket, app: "rib-house")
        let peer = try RawPeer(
            welcomedAt: place.directory + "/rib-house.sock", Item.hello(ticket: ticket))
        peer.send(RawPeer.attach(contracts: contracts))
        return peer
    }

    /// A front whose pit board differs.
    private func differing(_ place: Workplace) throws -> RawPeer {
        let hashes = Item.map([(Self.board, .hash(1)), ("elsewhere", .hash(2))])
        let peer = try front(of: place, naming: hashes)
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 45)
        #expect(payload == Item.list([.text(Self.board)]).bytes)
        return peer
    }

    private static func method(_ key: String, _ delivery: String, _ type: String?) -> Item {
        let parameters = type.map {
            [Item.map([("label", .text("a")), ("name", .text("a")), ("type", .text($0))])]
        }
        return .map([
            ("key", .text(key)), ("delivery", .text(delivery)),
            ("parameters", .list(parameters ?? [])), ("isThrowing", .truth(false)),
        ])
    }

    private static func structure(_ name: String, _ fields: [(String, String)]) -> Item {
        .map([
            ("name", .text(name)), ("kind", .text("struct")),
            (
                "fields",
                .list(fields.map { .map([("key", .text($0.0)), ("type", .text($0.1))]) })
            ),
        ])
    }

    /// The specials only, whose fields are these, and an event or none.
    private static func contract(
        _ fields: [(String, String)], event: String?, later: String = "of a later version"
    ) -> [UInt8] {
        let listens = event.map { [method($0, "event", nil)] } ?? []
        return Item.list([
            .map([
                ("feature", .text(board)),
                ("presents", .list([method("present(specials:)", "state", "[Dish]")])),
                ("listens", .list(listens)),
                ("types", .list([structure("Dish", fields)])),
                ("laterKey", .text(later)),
            ])
        ]).bytes
    }

    @Test(arguments: [-1, 0, 1]) func `a contract is limited exactly`(offset: Int) async throws {
        try await place.daemon()
        let peer = try differing(place)
        let limit = 1_048_576
        func contract(_ padding: Int) -> [UInt8] {
            Self.contract(
                [("name", "String")], event: nil, later: String(repeating: "x", count: padding))
        }
        // The head of so long a text has five bytes.
        let rest = contract(100_000).count - 100_000
        let payload = contract(limit + offset - rest)
        #expect(payload.count == limit + offset)
        peer.send(RawPeer.frame(46, payload: payload))
        let (kind, answer) = try peer.readFrame()
        #expect(kind == (offset > 0 ? 6 : 33))
        if offset > 0 {
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.contains("badRequest") && text.contains("the limit is \(limit)"))
        }
    }

    @Test func `a front that is asked for its contract has its time, and no more`() async throws {
        try await place.daemon()
        let peer = try differing(place)
        let start = ContinuousClock.now
        let (kind, answer) = try peer.readFrame()
        let waited = ContinuousClock.now - start
        #expect(kind == 6)
        #expect(String(decoding: answer, as: UTF8.self).contains("no contract within 5 s"))
        // It was asked a moment before the clock was looked at.
        #expect(waited > .milliseconds(4800) && waited < .seconds(8), "\(waited)")
    }

    @Test func `a front that answers otherwise than asked is closed, and the worker stays`()
        async throws
    {
        try await place.daemon()
        for (kind, payload, words) in [
            (46, Item.list([]).bytes, "did not describe its contract of \(Self.board)"),
            (46, Item.text("x").bytes, "an unreadable contract"),
            (46, [UInt8](repeating: 0, count: 1_048_577), "the limit is 1048576"),
            (32, Item.map([]).bytes, "before the front was attached"),
            (37, [], "before the front was attached"),
        ] as [(UInt8, [UInt8], String)] {
            let peer = try differing(place)
            peer.send(RawPeer.frame(kind, payload: payload))
            let answer = try peer.readFrame()
            #expect(answer.kind == 6)
            let text = String(decoding: answer.payload, as: UTF8.self)
            #expect(text.contains(words), "\(text)")
        }
        let unasked = try RawPeer(place.directory + "/rib-house.sock")
        unasked.send(RawPeer.frame(46, payload: Item.list([]).bytes))
        #expect(try unasked.readFrame().kind == 3)
        try await place.front().login()
    }

    // MARK: - A client at a worker that is not of its contract

    @Test func `a client describes what it was built with, and repeats why it is refused`()
        async throws
    {
        let version = Item.map([("major", .number(1)), ("minor", .number(0))])
        let welcome = Item.map([
            ("version", version), ("server", .text("stranger 1")), ("pid", .number(1)),
        ])
        let workerPath = place.directory + "/w.sock"
        let described = Watched("")
        let worker = try RawListener(workerPath) { peer in
            guard try peer.readFrame().kind == 1 else { return }
            peer.send(RawPeer.frame(2, payload: welcome.bytes))
            guard try peer.readFrame().kind == 32 else { return }
            peer.send(RawPeer.frame(45, payload: Item.list([.text(Self.board)]).bytes))
            let (kind, payload) = try peer.readFrame()
            described.change { $0 = "\(kind) " + String(decoding: payload, as: UTF8.self) }
            let refusal = Item.map([
                ("code", .text("contractMismatch")), ("message", .text("PitItem.stage is gone")),
            ])
            peer.send(RawPeer.frame(6, payload: refusal.bytes))
        }
        let daemon = try RawListener(place.socket) { peer in
            guard try peer.readFrame().kind == 1 else { return }
            peer.send(RawPeer.frame(2, payload: welcome.bytes))
            guard try peer.readFrame().kind == 16 else { return }
            let redirect = Item.map([
                ("socket", .text(workerPath)), ("ticket", .text("t")),
                ("app", .text("rib-house")), ("session", .text("rib-house")),
            ])
            peer.send(RawPeer.frame(17, sequence: 1, payload: redirect.bytes))
            _ = try peer.readToEnd()
        }
        let client = try Child(
            Product.path("rib-house"), ["attach", "rib-house", "--plain", "--socket", place.socket])
        #expect(await client.exit() == 76)
        expectAdvice(await client.allErrors(), from: "rib-house", ["PitItem.stage is gone"])
        let text = described.value
        #expect(text.hasPrefix("46 "))
        for word in [Self.board, "PitItem", "stage", "PitItem.Stage", "lighting"] {
            #expect(text.contains(word), "\(word) is not in \(text)")
        }
        #expect(!text.contains("rib-house.logged-in"))
        _ = (worker, daemon)
    }
}
