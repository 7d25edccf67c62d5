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

    /// The board's contract as an older front's, with a key of a later version.
    private static func contract(later count: Int) -> [UInt8] {
        let parameter = Item.map(
            ["label", "name", "type"].map { ($0, .text($0 == "type" ? "[Dish]" : "a")) })
        let state = Item.map([
            ("key", .text("present(specials:)")), ("delivery", .text("state")),
            ("parameters", .list([parameter])), ("isThrowing", .truth(false)),
        ])
        let dish = Item.map([
            ("name", .text("Dish")), ("kind", .text("struct")),
            ("fields", .list([.map([("key", .text("name")), ("type", .text("String"))])])),
        ])
        return Item.list([
            .map([
                ("feature", .text(board)), ("presents", .list([state])), ("listens", .list([])),
                ("types", .list([dish])),
                ("laterKey", .text(String(repeating: "x", count: count))),
            ])
        ]).bytes
    }

    /// The worker stays.
    @Test func `a contract has its limit and its time, and any other answer ends its front`()
        async throws
    {
        try await place.daemon()
        let waiting = try differing(place)
        let start = ContinuousClock.now
        let limit = 1_048_576
        // The head of so long a text has five bytes.
        let rest = Self.contract(later: 100_000).count - 100_000
        for (offset, end) in [(-1, 33), (0, 33), (1, 6)] as [(Int, UInt8)] {
            let peer = try differing(place)
            let payload = Self.contract(later: limit + offset - rest)
            #expect(payload.count == limit + offset)
            peer.send(RawPeer.frame(46, payload: payload))
            let (kind, answer) = try peer.readFrame()
            #expect(kind == end)
            guard offset > 0 else { continue }
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.contains("badRequest") && text.contains("the limit is \(limit)"))
        }
        for (kind, payload, words) in [
            (46, Item.list([]).bytes, "did not describe its contract of \(Self.board)"),
            (46, Item.text("x").bytes, "an unreadable contract"),
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
        let (kind, answer) = try waiting.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: answer, as: UTF8.self).contains("no contract within 5 s"))
        // It was asked a moment before the clock was looked at.
        let waited = ContinuousClock.now - start
        #expect(waited > .milliseconds(4800) && waited < .seconds(8), "\(waited)")
        try await place.front().login()
    }
}
