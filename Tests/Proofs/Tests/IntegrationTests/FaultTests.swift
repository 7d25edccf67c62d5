// FaultTests: killed processes, garbage, and tickets that are not good.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    private let place = Workplace()

    @Test func `S2: a worker killed with -9 comes back, and its front with it`() async throws {
        let (_, front, worker) = try await place.loggedIn()
        kill(worker, SIGKILL)
        try await front.reads { $0.type == "disconnected" }
        let welcome = try await front.reads { $0.type == "welcome" }
        #expect(welcome.object["resumed"] as? Bool == true)
        let resumed = try await front.reads { $0.type == "resumed" }
        #expect(resumed.object["lost"] as? Int == 0)
        try await front.shows { $0.features == [Feature.launch, Feature.loggedIn] }
        #expect(try await place.workerPID() != worker)
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
    }

    @Test func `a worker that keeps dying is degraded, and says so`() async throws {
        // It traps while it starts, so that nothing but its restarts decides how fast it dies.
        let place = Workplace(
            daemon: "QuestionDaemon", apps: InstalledApp.questions, app: Question.app,
            environment: ["QUESTIONS_TRAP": "1"])
        defer { place.cleanUp() }
        try await place.daemon()
        let (status, _, errors) = try await place.run(["attach", Question.app, "--control"])
        #expect(status == 69)
        for word in ["worker of \(Question.app) is not available", "told to trap"] {
            #expect(errors.contains(word), "\(errors)")
        }
        let (_, apps, _) = try await place.run(["apps", "--json"])
        let app = try #require(
            try JSON.array(apps.joined()).first { $0["app"] as? String == Question.app })
        #expect(app["state"] as? String == "degraded")
        #expect(app["crashes"] as? Int == 4)
    }

    @Test func `S3: a daemon killed with -9 disturbs no front, and the next one finds the worker`()
        async throws
    {
        let (first, front, worker) = try await place.loggedIn()
        try await killed(first)
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        try await place.daemon()
        let other = try await place.front()
        try await other.mounts(Feature.pitBoard)
        #expect(try await place.workerPID() == worker)
        #expect(!front.wasDisconnected)
    }

    @Test func `S17: a worker that stands still is named, and holds up nobody for ever`()
        async throws
    {
        try await place.daemon()
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
        let row = try JSON.array(await asking[0].allLines().joined()).first
        #expect(row?["session"] as? String == "rib-house" && row?["silence"] is String)
        #expect(await asking[3].allErrors().contains("for rib-house's worker; Ctrl-C gives up"))
        #expect(await asking[1].exit() == 0)
        let app = try JSON.array(await asking[1].allLines().joined())
            .first { $0["app"] as? String == "rib-house" }
        #expect(app?["sessions"] as? Int == 1)
        kill(worker, SIGCONT)
        #expect(try await place.sessions().map(\.name) == ["rib-house"])
        #expect(!front.wasDisconnected)
    }

    @Test func `SIGTERM drains: fronts are told, everything ends with status 0`() async throws {
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
        let place = Workplace()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        try await front.login()
        try await body(place, front, [place.socket, place.directory + "/rib-house.sock"])
        // Nothing but that one connection was closed.
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        let (status, _, _) = try await place.run(["ping"])
        #expect(status == 0)
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
                // The loop's clock has milliseconds, and may be as old as its turn.
                #expect(waited > .milliseconds(4990) && waited < .seconds(8), "\(waited)")
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
            let peer = try RawPeer(welcomedAt: paths[0])
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
            peer.send(try Self.spoilt(RawPeer.open("rib-house"), "rib-house"))
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
            let ticket = try RawPeer.ticket(at: place.socket, app: "rib-house")
            for (path, ticket) in zip(paths, [nil, ticket]) {
                let peer = try RawPeer(welcomedAt: path, Item.hello(ticket: ticket))
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
        try await sockets { _, _, paths in
            let ticket = try RawPeer.ticket(at: paths[0], app: "rib-house")
            let first = try RawPeer(welcomedAt: paths[1], Item.hello(ticket: ticket))
            let second = try RawPeer(paths[1])
            second.send(Item.hello(ticket: ticket))
            #expect(try second.readFrame().kind == 3)
            first.close()
        }
    }
}
