// RelayTests: the far end of --host, between a stranger's stream and strangers' sockets.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RelayTests {
    private let place = TemporaryDirectory()

    /// A relay that has said that it is connected.
    private func relay() async throws -> Child {
        let child = try Child(
            Product.path("napkin-client"), ["relay", "--socket", place("n.sock")])
        let first = try await child.line { _ in true }
        #expect(first.1 == "napkin relay 1")
        return child
    }

    private func redirect(to socket: String) -> [UInt8] {
        let fields = ["socket": socket, "ticket": "0", "app": "a", "session": "a"]
        let payload = Item.map(fields.map { ($0.key, .text($0.value)) })
        return RawPeer.frame(17, sequence: 1, payload: payload.bytes)
    }

    @Test(arguments: [1, 7, 29, 4096])
    func `a redirect is followed, however its bytes come, and nothing after it passes`(
        piece: Int
    ) async throws {
        let closed = Watched(false)
        let answer = RawPeer.frame(8, payload: [0xF5]) + redirect(to: place("w.sock"))
        let napkind = try RawListener(place("n.sock")) { peer in
            guard try peer.readExactly(5) == Array("open\n".utf8) else { return }
            for start in stride(from: 0, to: answer.count, by: piece) {
                peer.send(Array(answer[start..<min(start + piece, answer.count)]))
            }
            peer.send(Array("\ndropped\n".utf8))
            _ = try peer.readToEnd()
            closed.change { $0 = true }
        }
        let worker = try RawListener(place("w.sock")) { peer in
            peer.send(Array("\nhere\n".utf8))
            let words = try peer.readExactly(6)
            peer.send(Array("got ".utf8) + words)
        }
        let relay = try await relay()
        try relay.write("open")
        _ = try await relay.line { $0 == "here" }
        await closed.wait { $0 }
        try relay.write("hello")
        let (status, lines) = await relay.result()
        #expect(status == 0 && lines.last == "got hello", "\(lines)")
        #expect(!lines.contains("dropped"))
        _ = (napkind, worker)
    }

    @Test func `what is no frame passes, an error loses nothing, and what is missing is named`()
        async throws
    {
        let ended = Watched(false)
        let napkind = try RawListener(place("n.sock")) { peer in
            peer.send([0xFF, 0xFF, 0xFF, 0xFF] + Array("\nraw\n".utf8))
            peer.send(self.redirect(to: "/nowhere"))
            peer.send(Array("\nmore\n".utf8))
            _ = try peer.readToEnd()
            ended.change { $0 = true }
        }
        let relay = try await relay()
        _ = try await relay.line { $0 == "raw" }
        _ = try await relay.line { $0 == "more" }
        relay.closeInput()
        #expect(await relay.exit() == 0)
        await ended.wait { $0 }
        _ = napkind
        unlink(place("n.sock"))
        try await losesNothing()
        unlink(place("n.sock"))
        try await namesWhatIsMissing()
    }

    @Test func `a side that does not read is waited for`() async throws {
        let bytes = 96 * 1024 * 1024
        let sent = Watched(false)
        let napkind = try RawListener(place("n.sock")) { peer in
            // It does not read, and its own bytes go where nobody reads for now.
            peer.wait(seconds: 1)
            let line = Array(repeating: UInt8(ascii: "x"), count: bytes - 1) + [0x0A]
            peer.send([0xFF, 0xFF, 0xFF, 0xFF] + line)
            sent.change { $0 = true }
            _ = try peer.readExactly(5)
        }
        let program = try Product.path("napkin-client")
        let spawned = try Spawned(program, ["relay", "--socket", place("n.sock")])
        await sent.wait { $0 }
        #expect(try Vitals(of: spawned.pid).residentKiB < 64 * 1024)
        kill(spawned.pid, SIGKILL)
        #expect(Spawned.wait(for: spawned.pid) == -SIGKILL)
        _ = napkind
    }

    /// What was sent before an error is not lost.
    private func losesNothing() async throws {
        let count = 200 * 1024
        let closed = Watched(false)
        let napkind = try RawListener(place("n.sock")) { peer in
            // The rest of what has come is not read, so that the end is an error.
            _ = try peer.readExactly(1)
            let line = Array(repeating: UInt8(ascii: "x"), count: count) + [0x0A]
            peer.send([0xFF, 0xFF, 0xFF, 0xFF, 0x0A] + line)
            peer.close()
            closed.change { $0 = true }
        }
        let spawned = try Spawned(
            Product.path("napkin-client"), ["relay", "--socket", place("n.sock")])
        #expect(write(spawned.input, "open", 4) == 4)
        await closed.wait { $0 }
        let (_, lines) = await Child(spawned).result()
        #expect(lines.last?.utf8.count == count, "\(lines.map(\.utf8.count))")
        _ = napkind
    }

    /// A worker or a stream that is not there is named.
    private func namesWhatIsMissing() async throws {
        let napkind = try RawListener(place("n.sock")) { peer in
            peer.send(self.redirect(to: self.place("none.sock")))
            _ = try peer.readToEnd()
        }
        let lost = try await relay()
        #expect(await lost.exit() == 74)
        let reason = await lost.allErrors()
        #expect(reason.contains("the worker of a cannot be reached"), "\(reason)")
        let program = try Product.path("napkin-client")
        let command = "'\(program)' relay --socket '\(place("n.sock"))' </dev/null"
        let blind = try Child("/bin/sh", ["-c", command])
        #expect(await blind.exit() == 69)
        #expect(await blind.allErrors().contains("neither a pipe nor a socket"))
        _ = napkind
    }
}
