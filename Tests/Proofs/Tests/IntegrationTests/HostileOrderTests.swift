// HostileOrderTests: what Tests/Proofs/Probes/HostileProbe found that a daemon must not let pass.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HostileOrderTests {
    private let place = Workplace.questions()

    @Test func `S11: a kill voids tickets, and who is no worker or does not read disturbs nobody`()
        async throws
    {
        try await place.daemon()
        _ = try await place.front()
        let worker = place.directory + "/questions.sock"
        let late = try ticket(place, "mortal")
        let waiting = try RawPeer(
            welcomedAt: worker, Item.hello(ticket: try ticket(place, "mortal")))
        #expect(try await place.run(["kill", "mortal"]).status != 64)
        try Self.expectGoodbye(waiting, "sessionEnded")
        let peer = try RawPeer(worker)
        peer.send(Item.hello(ticket: late))
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 3)
        #expect(String(decoding: payload, as: UTF8.self).contains("badTicket"))
        let (_, sessions, _) = try await place.run(["ls", "--json"])
        #expect(!sessions.joined().contains("mortal"))
        for socket in ["/s", worker] { try await isNoWorker(socket) }
        try await isPutOut(worker)
    }

    /// Who registers and is not the app's worker is refused, and displaces nobody.
    private func isNoWorker(_ socket: String) async throws {
        let attached = try await place.front()
        let register = RawPeer.frame(
            64,
            payload: Item.map([
                ("app", .text(Question.app)), ("pid", .hash(UInt64(getpid()))),
                ("socket", .text(socket)), ("sessions", .list([])),
            ]).bytes)
        let peer = try RawPeer(place.socket)
        peer.send(Item.hello(role: "worker") + register)
        #expect(try peer.readFrame().kind == 2)
        try Self.expectGoodbye(peer, "protocolViolation")
        #expect(try await attached.call(Question.desk, "didTapRelease()").isOK)
        let front = try await place.front()
        #expect(try await front.call(Question.desk, "didTapRelease()").isOK)
    }

    /// A peer that pings and does not read is put out, and disturbs nobody.
    private func isPutOut(_ worker: String) async throws {
        let peer = try RawPeer(worker)
        peer.send(Item.hello(ticket: try ticket(place, "questions")))
        let pings = Array(repeating: RawPeer.frame(4), count: 40_000).flatMap(\.self)
        // Twice what may wait, in the pongs' bytes. Ends early when the worker closes.
        for _ in 0..<64 { peer.send(pings) }
        _ = try peer.readToEnd()
        let front = try await place.front()
        #expect(try await front.call(Question.desk, "didTapRelease()").isOK)
    }

    private static func expectGoodbye(_ peer: RawPeer, _ code: String) throws {
        let (kind, payload) = try peer.readFrame()
        #expect(kind == 6)
        #expect(String(decoding: payload, as: UTF8.self).contains(code))
        #expect(try peer.readToEnd().isEmpty)
    }

    private func ticket(_ place: Workplace, _ session: String) throws -> String {
        try RawPeer.ticket(at: place.socket, app: Question.app, session: session)
    }
}
