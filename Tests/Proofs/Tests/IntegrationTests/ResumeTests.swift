// ResumeTests: a front whose connection is cut between an event and its reply.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ResumeTests {
    @Test func `a reply that was lost with the connection comes after the resume`() async throws {
        try await Self.withLostReply { place in
            try await place.front()
        } body: { front, id, witness in
            try await front.reads { $0.type == "disconnected" }
            let resumed = try await front.reads { $0.type == "resumed" }
            #expect(resumed.object["lost"] as? Int == 0)
            let reply = try await front.reads { $0.type == "reply" && $0.id == id }
            #expect(reply.isOK)
            try await front.mounts(Feature.pitBoard)
            #expect(witness.mountCount(Feature.pitBoard) == 1)
        }
    }

    /// A front whose event has led to the pit board, with the reply lost in a cut connection; the
    /// event's number, and another front, which was not cut off.
    static func withLostReply(
        of attach: (Workplace) async throws -> ControlFront,
        body: (_ front: ControlFront, _ id: Int, _ witness: ControlFront) async throws -> Void
    ) async throws {
        let place = Workplace()
        defer { place.cleanUp() }
        try await place.daemon()
        let witness = try await place.front()
        try await witness.login()
        let detour = try Detour(around: place.directory + "/rib-house.sock")
        let front = try await attach(place)
        try await front.mounts(Feature.loggedIn)

        detour.holdAnswers()
        let id = try front.send(Feature.loggedIn, "didTapPitBoard()")
        // It has been applied, and what the worker answered is lost.
        try await witness.mounts(Feature.pitBoard)
        detour.cut()
        try await body(front, id, witness)
    }
}
