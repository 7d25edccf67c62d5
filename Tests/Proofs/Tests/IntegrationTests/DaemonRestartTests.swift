// DaemonRestartTests: napkind dies and comes back, and neither its workers nor fronts mind.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DaemonRestartTests {
    private let place = Workplace()

    /// The worker processes of the workplace: one for an app, whatever happens.
    private var workers: [Int32] { Vitals.processes(mentioning: place.state, "--worker\0") }

    /// A front that has asked where its session lives, and has no answer yet.
    private func opening(_ session: String, creates: Bool) throws -> RawPeer {
        let peer = try RawPeer(place.socket)
        peer.send(Item.hello() + RawPeer.open("rib-house", session: session, creates: creates))
        return peer
    }

    /// Reads what a front that opens is answered: the kind of the frame, and its text.
    private func answer(to peer: RawPeer) throws -> (kind: UInt8, text: String) {
        let welcome = try peer.readFrame()
        guard welcome.kind == 2 else { throw Failure("kind \(welcome.kind) and no welcome") }
        let (kind, payload) = try peer.readFrame()
        return (kind, String(decoding: payload, as: UTF8.self))
    }

    @Test
    func `S3, S4: a napkind that comes back loses no reply and no session, and one worker starts`()
        async throws
    {
        let first = try await knowsItsSessions(from: try await place.daemon())
        let front = try await place.front()
        try await front.login()
        let count = 3000
        var ids: [Int] = []
        func send(_ share: Int) throws {
            for _ in 0..<share { ids.append(try front.send(Feature.loggedIn, "didTapPitBoard()")) }
        }
        try send(count / 3)
        first.signal(SIGKILL)
        try send(count / 3)
        #expect(await first.exit() == -SIGKILL)
        let second = try await place.daemon()
        try send(count / 3)
        var answered: [Int] = []
        while answered.count < count {
            let reply = try await front.reads { $0.type == "reply" }
            #expect(reply.isOK)
            answered.append(reply.id)
        }
        #expect(answered == ids)
        #expect(!front.wasDisconnected && front.mountCount(Feature.pitBoard) == 1)
        print("napkind killed and started again among \(count) events: \(answered.count) replies")
        try await refusesALaterQuery(after: try await startsOneWorker(second, front))
    }

    /// A worker refuses a query of a later napkind, and answers the next one.
    private func refusesALaterQuery(after daemon: Child) async throws {
        try await killed(daemon)
        unlink(place.socket)
        let listener = try RawPeer.listen(at: place.socket)
        defer { close(listener) }
        let worker = RawPeer(descriptor: try #require(RawPeer.accept(from: listener)))
        let version = Item.map([("major", .number(1)), ("minor", .number(0))])
        let welcome = Item.map([
            ("version", version), ("server", .text("later")), ("pid", .number(Int(getpid()))),
        ])
        #expect(try worker.readFrame().kind == 1)
        worker.send(RawPeer.frame(2, payload: welcome.bytes))
        #expect(try worker.readFrame().kind == 64)
        for (sequence, query) in [(1, "weather"), (2, "sessions")] {
            let asked = Item.map([(query, .map([("app", .text("rib-house"))]))])
            worker.send(RawPeer.frame(7, sequence: UInt64(sequence), payload: asked.bytes))
        }
        // What it says of its fronts meanwhile answers nothing.
        var answers: [(kind: UInt8, sequence: UInt64, payload: [UInt8])] = []
        while answers.count < 2 {
            let frame = try worker.readNumberedFrame()
            if frame.kind != 64 { answers.append(frame) }
        }
        answers.sort { $0.sequence < $1.sequence }
        #expect(answers.map(\.kind) == [3, 8])
        #expect(answers.map(\.sequence) == [1, 2])
        #expect(String(decoding: answers[0].payload, as: UTF8.self).contains("badRequest"))
    }

    /// A napkind that comes back knows its workers' sessions from its first answer on.
    private func knowsItsSessions(from first: Child) async throws -> Child {
        let front = try await place.front(["--session", "lunch"])
        try await front.login()
        let other = try await place.front(["--session", "dinner"])
        try await other.mounts(Feature.loggedOut)
        let before = try await place.sessions()
        try await killed(first)
        let second = try await place.daemon()
        // What is asked first: a listing, a tree, a front that joins, another app's name.
        let opened = try opening("lunch", creates: false)
        let after = try await place.sessions()
        #expect(after.map(\.name) == ["dinner", "lunch"])
        for (old, new) in zip(before, after) {
            #expect(old.fronts.map(\.number) == new.fronts.map(\.number))
            #expect(old.object["pid"] as? Int == new.object["pid"] as? Int)
            #expect(
                (new.object["ageSeconds"] as? Int ?? -1) >= (old.object["ageSeconds"] as? Int ?? 0))
        }
        #expect(try answer(to: opened).kind == 17)
        try await killed(second)
        let third = try await place.daemon()
        #expect(try await place.run(["tree", "lunch"]).status == 0)
        try await killed(third)
        let fourth = try await place.daemon()
        try #require(try await place.run(["kill", "dinner"]).status == 0)
        #expect(await other.child.exit() == 69)
        #expect(try await place.sessions().map(\.name) == ["lunch"])
        #expect(workers.count == 1)
        #expect(!front.wasDisconnected)
        return fourth
    }

    /// S4: a worker that died with napkind is started again, once.
    private func startsOneWorker(
        _ first: Child, _ front: ControlFront
    ) async throws -> Child {
        let worker = try await place.workerPID()
        first.signal(SIGKILL)
        kill(worker, SIGKILL)
        #expect(await first.exit() == -SIGKILL)
        let daemon = try await place.daemon()
        let peers = try (0..<50).map { _ in try opening("rib-house", creates: true) }
        for peer in peers { #expect(try answer(to: peer).kind == 17) }
        try await front.reads { $0.type == "resumed" }
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        let now = try await place.workerPID()
        #expect(now != worker && workers == [now])
        return daemon
    }

    @Test(arguments: [-1, 0, 1]) func `a peer's requests are limited exactly`(offset: Int)
        async throws
    {
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Feature.loggedOut)
        let worker = try await place.workerPID()
        // It answers nothing for a while, so that every request stays open.
        kill(worker, SIGSTOP)
        let peer = try RawPeer(place.socket)
        let limit = 256
        let query = Item.map([("schema", .map([("app", .text("rib-house"))]))]).bytes
        let queries = (1...(limit + offset)).map {
            RawPeer.frame(7, sequence: UInt64($0), payload: query)
        }
        peer.send(Item.hello(role: "tool") + queries.flatMap(\.self))
        #expect(try peer.readFrame().kind == 2)
        peer.send(RawPeer.frame(4, sequence: 9))
        if offset > 0 {
            let (kind, payload) = try peer.readFrame()
            #expect(kind == 3)
            let text = String(decoding: payload, as: UTF8.self)
            #expect(text.contains("overloaded") && text.contains("more than \(limit) requests"))
        }
        #expect(try peer.readFrame().kind == 5)
        kill(worker, SIGCONT)
        for _ in 0..<min(limit, limit + offset) { #expect(try peer.readFrame().kind == 8) }
    }
}
