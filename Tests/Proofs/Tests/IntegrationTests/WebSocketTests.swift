// WebSocketTests: a page's WebSocket by the letter of RFC 6455, and pages that are gone.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WebSocketTests {
    private func withDoor(_ body: (PageDoor) async throws -> Void) async throws {
        let place = try await Workplace.questions().started()
        let door = try await PageDoor(place, ["web", Question.app, "--no-open"])
        try await body(door)
        door.web.signal(SIGTERM)
        #expect(await door.web.exit() == 0)
        // Not of its threads either, which pages may keep busy.
        #expect(await door.web.allErrors() == "")
    }

    private static func frame(_ first: UInt8, _ bytes: [UInt8] = []) -> [UInt8] {
        [first, 0x80 | UInt8(bytes.count), 0, 0, 0, 0] + bytes
    }

    /// What is no frame of a page is answered with the reason, and the end.
    private func answersWithTheReason(_ door: PageDoor, _ cookie: String, _ path: String) throws {
        let cases: [(String, [UInt8], UInt16?)] = [
            ("a close", Self.frame(0x88, [0x03, 0xE8]), 1000),
            ("a close with words", Self.frame(0x88, [0x03, 0xE9, 0x6F, 0x6B]), 1001),
            ("a close of an app", Self.frame(0x88, [0x0F, 0xA0]), 4000),
            ("a close without a code", Self.frame(0x88), nil),
            ("half a code", Self.frame(0x88, [0x03]), 1002),
            ("a code that is never sent", Self.frame(0x88, [0x03, 0xED]), 1002),
            ("words that are no text", Self.frame(0x88, [0x03, 0xE8, 0xFF]), 1007),
            ("a message that is no text", Self.frame(0x81, [0xC3, 0x28]), 1007),
            ("a reserved bit", Self.frame(0xC1, [0x7B, 0x7D]), 1002),
            ("a reserved bit of a ping", Self.frame(0x99), 1002),
            ("an unknown kind", Self.frame(0x83), 1002),
            ("an unknown kind of control", Self.frame(0x8B), 1002),
            ("bytes", Self.frame(0x82, [1]), 1003),
            ("the end of nothing", Self.frame(0x80), 1002),
            ("a message in another", Self.frame(0x01, [0x7B]) + Self.frame(0x81), 1002),
            ("a ping in parts", Self.frame(0x09), 1002),
            ("what is not masked", [0x81, 0x02, 0x7B, 0x7D], 1002),
            ("too long a message", [0x81, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
        ]
        // A server waits a while for a page that does not close: all of them at once.
        let peers = try cases.map { what, bytes, code in
            let peer = try door.open(cookie, path)
            peer.send(bytes)
            return (what, code, peer)
        }
        for (what, code, peer) in peers {
            let answer: [UInt8] =
                code.map { [0x88, 2, UInt8($0 >> 8), UInt8($0 & 255)] } ?? [0x88, 0]
            let all = try peer.readToEnd()
            #expect(all.suffix(answer.count) == answer, "\(what): \(all.suffix(8))")
            peer.close()
        }
        // A character may lie in two parts of a message.
        let peer = try door.open(cookie, path)
        peer.send(Self.frame(0x01, [0xC3]) + Self.frame(0x80, [0xA9]))
        peer.send(PageDoor.frame("still there", opcode: 0x89))
        try peer.reads("still there")
    }

    @Test
    func `strange cookies, versions and frames are answered in words, and who is gone is dropped`()
        async throws
    {
        try await withDoor { door in
            let foreign = (0..<8).map { "\($0)=" + String(repeating: "a", count: 4000) }
            let answer = try door.request(
                "/?token=\(door.token)", host: "127.0.0.1:\(door.port)",
                cookie: foreign.joined(separator: "; "))
            #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer)")
            #expect(answer.contains("open the printed address, at \(door.host)"))
            // The token is still good.
            let (cookie, path) = try door.enter()
            let wrong = PageDoor.upgrade(origin: door.origin)
                .map { $0.replacing("Version: 13", with: "Version: 8") }
            for headers in [wrong, []] {
                let answer = try door.request("\(path)socket?tab=&page=", cookie: cookie, headers)
                #expect(answer.hasPrefix("HTTP/1.1 426"), "\(answer)")
                #expect(PageDoor.header("Sec-WebSocket-Version", in: answer) == "13")
                #expect(PageDoor.header("Upgrade", in: answer) == "websocket")
            }
            try answersWithTheReason(door, cookie, path)
            try dropsWhoIsGone(door, cookie, path)
        }
    }

    /// A page that does not say that it is there is dropped, and no other.
    private func dropsWhoIsGone(_ door: PageDoor, _ cookie: String, _ path: String) throws {
        let (present, gone) = (try door.open(cookie, path), try door.open(cookie, path))
        // Ten seconds lie between them.
        for peer in [present, gone] { peer.wait(seconds: 60) }
        for _ in 0..<4 {
            try present.reads("\"beat\":true")
            present.send(PageDoor.frame("{}"))
        }
        var beats = 0
        while let message = try gone.readMessage() {
            beats += message.contains("\"beat\":true") ? 1 : 0
        }
        #expect(beats == 3)
        present.send(PageDoor.frame("still there", opcode: 0x89))
        try present.reads("still there")
    }
}
