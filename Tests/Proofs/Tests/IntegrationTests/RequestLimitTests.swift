// RequestLimitTests: how much of napkind one peer may ask at a time.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RequestLimitTests {
    /// `requestsMax` of Protocol/SPEC.md, section 12 (Limits).
    private static let limit = 256
    private static let query: UInt8 = 7
    private static let answer: UInt8 = 8
    private static let refused: UInt8 = 3

    private static func schema(_ sequence: Int) -> [UInt8] {
        let query = Item.map([("schema", .map([("app", .text("rib-house"))]))])
        return RawPeer.frame(Self.query, sequence: UInt64(sequence), payload: query.bytes)
    }

    @Test func `of too many questions at once the first past the limit is refused, no other`()
        async throws
    {
        let place = Workplace()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        let worker = try await place.workerPID()
        let asker = try RawPeer(welcomedAt: place.socket, Item.hello(role: "tool"))
        // It cannot say anything before it goes on.
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        for number in 1...(Self.limit + 1) { asker.send(Self.schema(number)) }
        let early = try asker.readNumberedFrame()
        #expect(early.kind == Self.refused)
        #expect(early.sequence == UInt64(Self.limit + 1))
        #expect(String(decoding: early.payload, as: UTF8.self).contains("more than \(Self.limit)"))
        kill(worker, SIGCONT)
        var answered: Set<UInt64> = []
        for _ in 1...Self.limit {
            let frame = try asker.readNumberedFrame()
            #expect(frame.kind == Self.answer)
            answered.insert(frame.sequence)
        }
        #expect(answered == Set(1...UInt64(Self.limit)))
        asker.send(Self.schema(Self.limit + 2))
        #expect(try asker.readFrame().kind == Self.answer)
        _ = front
    }
}
