// FaultTests: killed processes, garbage, and tickets that are not good.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FaultTests {
    @Test func `S2: a worker killed with -9 comes back, and its front with it`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        let worker = try await place.workerPID()
        kill(worker, SIGKILL)
        try await front.reads { $0.type == "disconnected" }
        let welcome = try await front.reads { $0.type == "welcome" }
        #expect(welcome.object["resumed"] as? Bool == true)
        let resumed = try await front.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 0)
        try await front.shows { $0.features == [Feature.launch, Feature.loggedOut] }
        #expect(try await place.workerPID() != worker)
        try await front.login()
        _ = daemon
    }

    @Test func `a worker that keeps dying is degraded, and says so`() async throws {
        // It traps while it starts, so that nothing but its restarts decides how fast it dies.
        let place = try Workplace(
            daemon: "QuestionDaemon", app: Question.app, environment: ["QUESTIONS_TRAP": "1"])
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let (status, _, errors) = try await place.run(["attach", Question.app, "--control"])
        #expect(status == 69)
        #expect(errors.contains("worker of \(Question.app) is not available"), "\(errors)")
        let (_, apps, _) = try await place.run(["apps", "--json"])
        let app = try #require(try JSON.array(apps.joined()).first)
        #expect(app["state"] as? String == "degraded")
        #expect(app["crashes"] as? Int == 4)
        _ = daemon
    }

    @Test func `S3: a daemon killed with -9 disturbs no front, and the next one finds the worker`()
        async throws
    {
        let place = try Workplace()
        defer { place.cleanUp() }
        let first = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        let worker = try await place.workerPID()
        first.signal(SIGKILL)
        #expect(await first.exit() == -SIGKILL)
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        let second = try await place.daemon()
        let other = try await place.front()
        try await other.mounts(Feature.pitBoard)
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
        _ = second
    }

    @Test func `S17: a worker that stands still is named, and holds up nobody for ever`()
        async throws
    {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        let worker = try await place.workerPID()
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        let asking = try [
            ["ls", "--json"], ["apps", "--json"], ["tree", "rib-house"],
            ["attach", "rib-house", "--plain"],
        ].map { try place.client($0) }
        for child in asking { child.closeInput() }
        let patience = ["1 s", "", "1 s", "10 s"]
        for (child, patience) in zip(asking, patience) where !patience.isEmpty {
            #expect(await child.exit() == 69)
            let errors = await child.allErrors()
            let silence = "the worker of rib-house (pid \(worker)) has not answered for \(patience)"
            #expect(errors.contains(silence), "\(errors)")
        }
        #expect(await asking[0].allLines() == ["[]"])
        #expect(await asking[3].allErrors().contains("waiting for napkind and the worker"))
        #expect(await asking[1].exit() == 0)
        let app = try JSON.array(await asking[1].allLines().joined())
            .first { $0["app"] as? String == "rib-house" }
        #expect(app?["sessions"] as? Int == 1)
        kill(worker, SIGCONT)
        #expect(try await place.sessions().map(\.name) == ["rib-house"])
        #expect(!front.wasDisconnected)
        _ = daemon
    }

    @Test func `SIGTERM drains: fronts are told, everything ends with status 0`() async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        let worker = try await place.workerPID()
        daemon.signal(SIGTERM)
        #expect(await daemon.exit() == 0)
        let line = try await front.reads { $0.type == "disconnected" }
        #expect((line.object["reason"] as? String)?.contains("shutting down") == true)
        #expect(kill(worker, 0) != 0, "the worker outlived its daemon's drain")
        #expect(!FileManager.default.fileExists(atPath: place.socket))
        front.child.signal(SIGTERM)
    }

    /// The paths of both sockets, with a living front on the worker's.
    private func sockets(
        _ body: (Workplace, ControlFront, [String]) async throws -> Void
    ) async throws {
        let place = try Workplace()
        defer { place.cleanUp() }
        let daemon = try await place.daemon()
        let front = try await place.front()
        try await front.login()
        try await body(place, front, [place.socket, place.directory + "/rib-house.sock"])
        // Nothing but that one connection was closed.
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        let (status, _, _) = try await place.run(["ping"])
        #expect(status == 0)
        _ = daemon
    }

    @Test func `garbage closes that connection and nothing else`() async throws {
        try await sockets { _, _, paths in
            for path in paths {
                for seed in 0..<20 {
                    let peer = try RawPeer(path)
                    var byte = UInt8(truncatingIfNeeded: seed &* 37)
                    peer.send(
                        (0..<4096).map { _ in
                            byte = byte &* 181 &+ 101
                            return byte
                        })
                    _ = try peer.readToEnd()
                }
            }
        }
    }

    @Test func `S5: half a frame and then silence is closed at the handshake's deadline`()
        async throws
    {
        try await sockets { _, _, paths in
            for path in paths {
                let start = ContinuousClock.now
                let peer = try RawPeer(path)
                peer.send(Array(Item.hello().dropLast(3)))
                _ = try peer.readToEnd()
                let waited = ContinuousClock.now - start
                #expect(waited >= .seconds(5) && waited < .seconds(8), "\(waited)")
            }
        }
    }

    @Test func `S6: an oversized frame is refused before it is read`() async throws {
        try await sockets { _, _, paths in
            for path in paths {
                let peer = try RawPeer(path)
                peer.send([0xFF, 0xFF, 0xFF, 0x7F])
                let answer = try peer.readToEnd()
                #expect(String(decoding: answer, as: UTF8.self).contains("the limit here is 4096"))
            }
        }
    }

    @Test func `S6: an oversized frame after the handshake is refused, too`() async throws {
        try await sockets { _, _, paths in
            let peer = try RawPeer(paths[0])
            peer.send(Item.hello())
            #expect(try peer.readFrame().kind == 2)
            peer.send([0xFF, 0xFF, 0xFF, 0x7F])
            let answer = try peer.readToEnd()
            #expect(String(decoding: answer, as: UTF8.self).contains("the limit here is 65536"))
        }
    }

    @Test func `S7: a text that is no UTF-8 ends its connection, which is told why`() async throws {
        try await sockets { _, _, paths in
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
            let open = RawPeer.frame(16, sequence: 1, payload: Self.openPayload)
            peer.send(try Self.spoilt(open, "rib-house"))
            let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
            #expect(answer.contains("protocolViolation"), "\(answer)")
            #expect(answer.contains("an unreadable open frame"), "\(answer)")
        }
    }

    /// The bytes with another in the place of that text's first: one that no UTF-8 has.
    private static func spoilt(_ bytes: [UInt8], _ text: String) throws -> [UInt8] {
        let range = try #require(bytes.firstRange(of: text.utf8))
        var bytes = bytes
        bytes[range.lowerBound] = 0xFF
        return bytes
    }

    @Test func `S8: a frame of an unknown kind ends its connection, which is told why`()
        async throws
    {
        try await sockets { place, _, paths in
            let ticket = try RawPeer.ticket(
                at: place.socket, app: "rib-house", session: "rib-house")
            for (path, ticket) in zip(paths, [nil, ticket]) {
                let peer = try RawPeer(path)
                peer.send(Item.hello(ticket: ticket))
                #expect(try peer.readFrame().kind == 2)
                peer.send(RawPeer.frame(200))
                let answer = String(decoding: try peer.readToEnd(), as: UTF8.self)
                #expect(answer.contains("protocolViolation"), "\(answer)")
                #expect(answer.contains("a frame has the unknown kind 200"), "\(answer)")
            }
        }
    }

    @Test func `S10: an unknown version is refused in words`() async throws {
        try await sockets { _, _, paths in
            let peer = try RawPeer(paths[0])
            peer.send(Item.hello(major: 7))
            let (kind, payload) = try peer.readFrame()
            #expect(kind == 3)
            let text = String(decoding: payload, as: UTF8.self)
            #expect(text.contains("stranger 1 speaks 7.0 to 7.0"), "\(text)")
        }
    }

    @Test func `S11: without a good ticket a worker lets nobody in`() async throws {
        try await sockets { _, _, paths in
            for ticket in [nil, "0123456789abcdef0123456789abcdef"] {
                let peer = try RawPeer(paths[1])
                peer.send(Item.hello(ticket: ticket))
                let (kind, payload) = try peer.readFrame()
                #expect(kind == 3)
                #expect(String(decoding: payload, as: UTF8.self).contains("badTicket"))
            }
        }
    }

    @Test func `S12: a ticket is good once`() async throws {
        try await sockets { place, _, paths in
            let door = try RawPeer(paths[0])
            door.send(Item.hello())
            #expect(try door.readFrame().kind == 2)
            door.send(RawPeer.frame(16, sequence: 1, payload: Self.openPayload))
            let (kind, payload) = try door.readFrame()
            #expect(kind == 17)
            let ticket = try Self.ticket(in: payload)
            let first = try RawPeer(paths[1])
            first.send(Item.hello(ticket: ticket))
            #expect(try first.readFrame().kind == 2)
            let second = try RawPeer(paths[1])
            second.send(Item.hello(ticket: ticket))
            #expect(try second.readFrame().kind == 3)
        }
    }

    /// {"app": "rib-house", "creates": true}
    private static let openPayload: [UInt8] =
        [0xA2] + Item.text("app").bytes + Item.text("rib-house").bytes + Item.text("creates").bytes
        + [0xF5]

    /// The 32 hex digits of a redirect: the only text of that length.
    private static func ticket(in payload: [UInt8]) throws -> String {
        let key = Array("ticket".utf8)
        guard
            let start = payload.indices.first(where: {
                payload[$0...].starts(with: key)
            })
        else { throw Failure("no ticket in the redirect") }
        // After the key: a head of two bytes (text of 32 bytes), then the text.
        let text = payload[(start + key.count + 2)...].prefix(32)
        return String(decoding: text, as: UTF8.self)
    }
}
