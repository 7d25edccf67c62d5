// OversizeTests: garbage, announced frames and silence of a front that knows the protocol.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OversizeTests {
    private let place = Workplace()

    @Test
    func `S5, S6, S7, S8: who sends what nobody can read, or nothing, is told why and sent away`()
        async throws
    {
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        try await isToldWhy(front)
        let ticket = try RawPeer.ticket(at: place.socket, app: "rib-house")
        let idle = try RawPeer(
            welcomedAt: place.directory + "/rib-house.sock", Item.hello(ticket: ticket))
        let peer = try RawPeer(welcomedAt: place.socket, Item.hello(role: "tool"))
        peer.send(
            Array(RawPeer.frame(7, payload: [UInt8](repeating: 0, count: 60_000)).prefix(999)))
        peer.wait(seconds: 30)
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: payload, as: UTF8.self).contains("incomplete frame was given up"))
        let goodbye = try idle.readFrame()
        #expect(goodbye.kind == 6)
        #expect(String(decoding: goodbye.payload, as: UTF8.self).contains("no attach within"))
        _ = front
        #expect(kill(daemon.pid, 0) == 0)
    }

    /// S6, S7, S8: a frame that nobody can read ends its connection, which is told why.
    private func isToldWhy(_ front: ControlFront) async throws {
        let paths = [place.socket, place.directory + "/rib-house.sock"]
        let oversized: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
        let welcomed = try RawPeer(welcomedAt: paths[0])
        for (peer, limit) in try paths.map({ (try RawPeer($0), 4096) }) + [(welcomed, 65536)] {
            peer.send(oversized)
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            #expect(answer.contains("the limit here is \(limit)"), "\(answer)")
        }
        let ticket = try RawPeer.ticket(at: place.socket, app: "rib-house")
        for (path, ticket) in zip(paths, [nil, ticket]) {
            let peer = try RawPeer(welcomedAt: path, Item.hello(ticket: ticket))
            peer.send(RawPeer.frame(200))
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            #expect(answer.contains("protocolViolation"), "\(answer)")
            #expect(answer.contains("a frame has the unknown kind 200"), "\(answer)")
        }
        let hello = Item.hello()
        for path in paths {
            let peer = try RawPeer(path)
            peer.send(try Self.spoilt(hello, "stranger 1"))
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            #expect(answer.contains("protocolViolation"), "\(answer)")
            #expect(answer.contains("an unreadable hello frame"), "\(answer)")
        }
        let peer = try RawPeer(paths[0])
        peer.send(hello)
        #expect(try peer.readFrame().kind == 2)
        peer.send(try Self.spoilt(RawPeer.open("rib-house"), "rib-house"))
        let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
        #expect(answer.contains("protocolViolation"), "\(answer)")
        #expect(answer.contains("an unreadable open frame"), "\(answer)")
        // Nothing but those connections was closed.
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(try await place.run(["ping"]).status == 0)
    }

    /// The bytes with another in the place of that text's first: one that no UTF-8 has.
    private static func spoilt(_ bytes: [UInt8], _ text: String) throws -> [UInt8] {
        let range = try #require(bytes.firstRange(of: text.utf8))
        var bytes = bytes
        bytes[range.lowerBound] = 0xFF
        return bytes
    }
}
