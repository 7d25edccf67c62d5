// StrangeListenerTests: a socket where something else listens, and other versions of our own.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StrangeListenerTests {
    private let place = Workplace()

    /// A workplace in whose socket's place something else listens.
    private func strange(
        _ serve: @escaping @Sendable (RawPeer) throws -> Void
    ) throws -> (Workplace, RawListener) {
        let place = Workplace()
        return (place, try RawListener(place.socket, serve: serve))
    }

    @Test func `something that is no napkind is named, waited for briefly, and left alone`()
        async throws
    {
        let says: @Sendable (RawPeer) throws -> Void = { peer in
            peer.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            _ = try peer.readToEnd()
        }
        let waits: @Sendable (RawPeer) throws -> Void = { _ = try $0.readToEnd() }
        let silent = ["(process \(getpid()))", "answered for 5 s"]
        let cases: [(@Sendable (RawPeer) throws -> Void, [[String]], Int32, [String])] = [
            (says, [["ping"], ["attach", "rib-house", "--control"]], 76, ["check the path"]),
            ({ _ in }, [["ping"]], 74, ["closed the connection without a word", "check the path"]),
            (waits, [["ping"]], 69, silent),
        ]
        for (serve, commands, status, words) in cases {
            let (place, listener) = try strange(serve)
            let words = words + (status == 74 ? [] : ["listening on \(place.socket)"])
            for command in commands { try await place.fails(command, status, saying: words) }
            try await place.refuses(
                ["--socket", place.socket, "--state-dir", place.state], 69,
                saying: ["listens on \(place.socket)", "another --socket"])
            _ = listener
        }
    }

    @Test
    func `S10: a client of another version is refused, and a dying worker's socket is no death`()
        async throws
    {
        // It has let go of its lock, and answers once more.
        let dying = Watched<RawListener?>(nil)
        func listen() throws {
            let listener = try RawListener(place.directory + "/rib-house.sock") { _ in
                dying.change { $0 = nil }
            }
            dying.change { $0 = listener }
        }
        try listen()
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        #expect(try await place.listed()?["crashes"] as? Int == 0)
        #expect(dying.value.map { _ in true } == nil)
        for (major, minor, advice) in [
            (0, 9, "speaks 0.9 to 0.9: update stranger 1"),
            (7, 0, "speaks 7.0 to 7.0: update and restart napkind"),
        ] {
            let peer = try RawPeer(place.socket)
            peer.send(Item.hello(major: major, minor: minor))
            let (kind, payload) = try peer.readFrame()
            #expect(kind == 3)
            let text = String(decoding: payload, as: UTF8.self)
            #expect(text.contains(advice), "\(text)")
        }
    }
}
