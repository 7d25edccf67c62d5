// OversizeTests: names, announced frames and silence of a front that knows the protocol.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(3)))
struct OversizeTests {
    private static let open: UInt8 = 16
    private static let query: UInt8 = 7
    private static let register: UInt8 = 64

    /// Every request of napkind with a text in it, at each place.
    private static func requests(_ text: String) -> [(role: String, kind: UInt8, Item)] {
        let name = Item.text(text)
        let short = Item.text("a")
        let queries: [Item] = [
            .map([("tree", .map([("session", name)]))]),
            .map([("kill", .map([("session", name)]))]),
            .map([("schema", .map([("app", name)]))]),
            .map([("detach", .map([("session", name)]))]),
            .map([("rename", .map([("session", name), ("to", short)]))]),
            .map([("rename", .map([("session", short), ("to", name)]))]),
            .map([("watch", .map([("session", name)]))]), .map([("watch", .map([("app", name)]))]),
            .map([("top", .map([("session", name)]))]), .map([("top", .map([("app", name)]))]),
            .map([("trace", .map([("session", name)]))]),
        ]
        return queries.map { ("tool", query, $0) } + [
            ("front", open, .map([("app", name), ("creates", .truth(true))])),
            (
                "front", open,
                .map([("app", .text("rib-house")), ("session", name), ("creates", .truth(true))])
            ),
            (
                "worker", register,
                .map([
                    ("app", name), ("pid", .number(Int(getpid()))), ("socket", short),
                    ("sessions", .list([])),
                ])
            ),
            (
                "worker", register,
                .map([
                    ("app", short), ("pid", .number(Int(getpid()))), ("socket", name),
                    ("sessions", .list([])),
                ])
            ),
        ]
    }

    @Test(arguments: [60_000, (16 << 20) - 400])
    func `S18: napkind outlives a long text at every place of every request, and answers in short`(
        count: Int
    ) async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        for (role, kind, item) in Self.requests(String(repeating: "n", count: count)) {
            let peer = try RawPeer(place.socket)
            peer.send(Item.hello(role: role))
            #expect(try peer.readFrame().kind == 2)
            peer.send(RawPeer.frame(kind, sequence: 1, payload: item.bytes))
            let answer = try peer.readFrame()
            // Refused, or goodbye.
            #expect([3, 6].contains(answer.kind))
            #expect(answer.payload.count < 1200)
        }
        #expect(try await place.run(["ping"]).status == 0)
        #expect(kill(daemon.pid, 0) == 0)
    }

    @Test func `S5: a frame that is announced and does not come is given up, and its connection`()
        async throws
    {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let peer = try RawPeer(place.socket)
        peer.send(Item.hello(role: "tool"))
        #expect(try peer.readFrame().kind == 2)
        peer.send(
            Array(RawPeer.frame(7, payload: [UInt8](repeating: 0, count: 60_000)).prefix(999)))
        peer.wait(seconds: 30)
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: payload, as: UTF8.self).contains("begun and not ended"))
        #expect(kill(daemon.pid, 0) == 0)
    }

    @Test func `a front that has used its ticket and does not attach is sent away`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        let door = try RawPeer(place.socket)
        door.send(Item.hello())
        #expect(try door.readFrame().kind == 2)
        let open = Item.map([("app", .text("rib-house")), ("creates", .truth(true))])
        door.send(RawPeer.frame(Self.open, sequence: 1, payload: open.bytes))
        let redirect = try door.readFrame()
        #expect(redirect.kind == 17)
        let ticket = try #require(Self.ticket(in: redirect.payload))
        let peer = try RawPeer(place.directory + "/rib-house.sock")
        peer.send(Item.hello(ticket: ticket))
        #expect(try peer.readFrame().kind == 2)
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: payload, as: UTF8.self).contains("no attach within"))
        _ = (daemon, front)
    }

    /// The 32 hex digits that follow the key in a redirect.
    private static func ticket(in payload: [UInt8]) -> String? {
        guard let key = payload.firstRange(of: Array("ticket".utf8)) else { return nil }
        // A head of two bytes: a text of 32.
        return String(bytes: payload[(key.upperBound + 2)...].prefix(32), encoding: .utf8)
    }
}
