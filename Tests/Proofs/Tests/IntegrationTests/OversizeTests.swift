// OversizeTests: names, announced frames and silence of a front that knows the protocol.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OversizeTests {
    private let place = Workplace()

    @Test func `what is kept for further large messages is given back at rest`() async throws {
        let tally = try await TallyPlace()
        _ = try await tally.add(1, to: "one")
        let worker = try #require(tally.workers.first)
        let ticket = try RawPeer.ticket(at: tally.place.socket, app: tally.app, session: "one")
        let peer = try RawPeer(
            welcomedAt: tally.place.directory + "/tally.sock", Item.hello(ticket: ticket))
        peer.send(RawPeer.attach())
        let before = try Vitals(of: worker).residentKiB
        let large = Item.text(String(repeating: "n", count: 8 << 20)).bytes
        for number in 1...3 {
            // To a node that there is not.
            peer.send(RawPeer.frame(37, node: 999, sequence: UInt64(number), payload: large))
            while try peer.readFrame().kind != 39 {}
        }
        // Some seconds, and nothing tells of it.
        let end = ContinuousClock.now + .seconds(20)
        var grown = Int.max
        while grown > 4096, .now < end {
            #expect(try await tally.place.run(["ping"]).status == 0)
            grown = try Vitals(of: worker).residentKiB - before
        }
        #expect(grown <= 4096)
    }

    @Test func `S5: who announces a frame that does not come, or never attaches, is sent away`()
        async throws
    {
        let daemon = try await place.daemon()
        let front = try await place.front()
        let ticket = try RawPeer.ticket(at: place.socket, app: "rib-house")
        let idle = try RawPeer(
            welcomedAt: place.directory + "/rib-house.sock", Item.hello(ticket: ticket))
        let peer = try RawPeer(welcomedAt: place.socket, Item.hello(role: "tool"))
        peer.send(
            Array(RawPeer.frame(7, payload: [UInt8](repeating: 0, count: 60_000)).prefix(999)))
        peer.wait(seconds: 30)
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: payload, as: UTF8.self).contains("begun and not ended"))
        let goodbye = try idle.readFrame()
        #expect(goodbye.kind == 6)
        #expect(String(decoding: goodbye.payload, as: UTF8.self).contains("no attach within"))
        _ = front
        #expect(kill(daemon.pid, 0) == 0)
    }
}
