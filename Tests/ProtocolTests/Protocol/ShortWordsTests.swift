// ShortWordsTests: a refusal is short, whatever a peer has said.

import NapkinCoding
import Testing

@testable import NapkinProtocol

@Suite struct ShortWordsTests {
    private static let long = String(repeating: "n", count: 60_000)

    static let queries: [Query] = [
        .tree(app: nil, session: long), .tree(app: long, session: nil), .sessions(app: long),
        .more(app: nil, session: long, cursor: 1), .kill(session: long), .schema(app: long),
        .detach(session: long, front: 1), .rename(session: long, to: "a"),
        .rename(session: "a", to: long), .rename(session: long, to: long),
        .watch(app: long, session: nil, digest: nil, milliseconds: nil, inventory: nil),
        .watch(app: nil, session: long, digest: nil, milliseconds: nil, inventory: nil),
        .top(app: long, session: nil), .top(app: nil, session: long),
        .control(app: long, action: .start, force: nil),
        .trace(session: long, tracer: nil, feature: nil, values: nil),
    ]

    @Test(arguments: queries)
    func `a query with a name that is none is refused, and the name told in short`(
        query: Query
    ) throws {
        let refusal = try #require(query.refusal)
        #expect(refusal.code == .badRequest)
        #expect(refusal.message.utf8.count < 4 * Limits.echoBytesMax)
    }

    @Test func `so are an open, a registration and an admission`() {
        #expect(Open(app: Self.long).refusal != nil)
        #expect(Open(app: "a", session: Self.long).refusal != nil)
        #expect(Open(app: "a", session: "a").refusal == nil)
        func register(_ app: String, _ sessions: [String], _ renamed: [Renaming] = []) -> Register {
            Register(app: app, pid: 1, socket: "/s", sessions: sessions, renamed: renamed)
        }
        #expect(register("a", ["b"]).refusal == nil)
        #expect(register(Self.long, []).refusal != nil)
        #expect(register("a", ["b", Self.long]).refusal != nil)
        #expect(register("a", [], [Renaming(session: "\u{1B}[2J", epoch: 1)]).refusal != nil)
        #expect(Admit(ticket: "t", session: Self.long, pid: 1).refusal != nil)
    }

    @Test func `the longest refusal fits a frame of the handshake`() throws {
        let refusal = Refusal(.sessionOfAnotherApp, Self.long)
        #expect(refusal.message.utf8.count == Limits.refusalBytesMax)
        let frame = try FrameHeader(.refused).encoded(
            refusal, limit: Limits.handshakeFrameBytesMax)
        #expect(frame.count <= Limits.handshakeFrameBytesMax)
    }

    @Test func `one that a peer has made longer is shortened when it is read`() throws {
        var writer = CBORWriter()
        try writer.write(["code": "badRequest", "message": Self.long])
        let read = writer.withUnsafeBytes { $0.decoded(Refusal.self) }
        #expect(read?.message.utf8.count == Limits.refusalBytesMax)
    }

    @Test(arguments: [-1, 0, 1])
    func `a frame is written up to its receiver's limit`(beyond: Int) throws {
        let payload = [UInt8](repeating: 0, count: 1000 - 24 + beyond)
        var writer = CBORWriter()
        writer.append([1, 2, 3])
        let write = { (writer: inout CBORWriter) throws(CBORError) in
            try FrameHeader(.answer).write(into: &writer, limit: 1000) {
                (writer) throws(CBORError) in writer.append(payload)
            }
        }
        if beyond > 0 {
            #expect(throws: CBORError.self) { try write(&writer) }
            #expect(writer.copyBytes() == [1, 2, 3])
        } else {
            try write(&writer)
            #expect(writer.count == 3 + 4 + 1000 + beyond)
        }
    }
}
