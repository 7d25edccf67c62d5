// SessionNameTests: sessions that are listed, renamed and killed, and whose fronts are detached.

import Foundation
import ProofSupport
import Testing

/// One session of `ls --json`.
struct ListedSession {
    struct Front {
        let number: Int
        let state: String
        let object: [String: Any]
    }

    let name: String
    let object: [String: Any]
    let fronts: [Front]

    init(_ object: [String: Any]) throws {
        guard let name = object["session"] as? String,
            let fronts = object["fronts"] as? [[String: Any]]
        else { throw Failure("no session: \(object)") }
        self.name = name
        self.object = object
        self.fronts = fronts.map {
            Front(
                number: $0["front"] as? Int ?? -1, state: $0["state"] as? String ?? "?", object: $0)
        }
    }
}

extension Workplace {
    /// The sessions as `ls --json` lists them.
    func sessions() async throws -> [ListedSession] {
        let (status, lines, errors) = try await run(["ls", "--json"])
        // A worker that was killed may end while it is asked.
        if errors.contains("ended; try again") { return try await sessions() }
        guard status == 0 else { throw Failure("ls: \(errors)") }
        return try JSON.array(lines.joined()).map(ListedSession.init)
    }

    /// Asks again until the sessions are as they should be; the daemon's answer is the event.
    func sessions(
        _ fits: ([ListedSession]) -> Bool
    ) async throws -> [ListedSession] {
        for _ in 0..<200 {
            let sessions = try await sessions()
            if fits(sessions) { return sessions }
        }
        throw Failure("ls never said what it should")
    }
}

extension ControlFront {
    /// This front's number, as its newest welcome says.
    var number: Int { seen.last { $0.type == "welcome" }?.object["front"] as? Int ?? -1 }
}

@Suite(.timeLimit(.minutes(10)))
struct SessionNameTests {
    private let place = Workplace()

    private func started() async throws -> ControlFront {
        try await place.daemon()
        let front = try await place.front(["--session", "lunch"])
        try await front.login()
        return front
    }

    // MARK: - ls

    @Test
    func `ls says who is on a session and how they do, and a front that is detached ends in words`()
        async throws
    {
        let front = try await started()
        let reader = try await place.front(["--session", "lunch", "--read-only"])
        try await reader.mounts(Feature.loggedIn)
        #expect(reader.seen.first?.object["readOnly"] as? Bool == true)
        let session = try #require(try await place.sessions().first)
        #expect(session.name == "lunch" && session.object["app"] as? String == "rib-house")
        let worker = try #require(session.object["worker"] as? [String: Any])
        let pid = try await place.workerPID()
        #expect(worker["pid"] as? Int == Int(pid))
        // What the kernel says of that process, give or take what the question itself takes.
        let bytes = try #require(worker["memoryBytes"] as? Int)
        let resident = try Vitals(of: pid).residentKiB << 10
        #expect(abs(bytes - resident) < 4 << 20, "\(bytes) and \(resident)")
        #expect(session.fronts.map(\.state) == ["attached", "read-only"])
        #expect(session.fronts.map(\.number) == [front.number, reader.number])
        let own = session.fronts[0].object
        #expect(own["pid"] as? Int == Int(front.child.pid))
        #expect(own["uid"] as? Int == Int(getuid()))
        #expect(own["user"] as? String == NSUserName())
        #expect((own["idleSeconds"] as? Int ?? -1) >= 0)
        let (_, lines, _) = try await place.run(["ls"])
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("SESSION  APP        AGE  NODES  WORKER  "))
        #expect(lines[1].hasSuffix("attached") && lines[2].hasSuffix("read-only"))
        #expect(lines[1].contains(" MiB ") && lines[1].contains(" \(NSUserName()) "))
        try reader.child.write(#"{"t":"detach"}"#)
        #expect(await reader.child.exit() == 0)
        try await isDetached(front)
    }

    // MARK: - rename

    @Test
    func `S16: a session that is renamed keeps its fronts, and one that is killed tells them`()
        async throws
    {
        let front = try await started()
        let plain = try place.client(["attach", "rib-house", "--session", "lunch", "--plain"])
        _ = try await plain.line { $0 == "—— rib-house · session lunch · connected · saved ——" }
        try #require(try await place.run(["rename", "lunch", "dinner"]).status == 0)
        let line = try await front.reads { $0.type == "renamed" }
        #expect(line.object["session"] as? String == "dinner")
        _ = try await plain.line {
            $0 == "—— rib-house · session dinner · connected · saved ——"
        }
        #expect(try await place.sessions().map(\.name) == ["dinner"])
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(!front.wasDisconnected)
        // The former name is free.
        let other = try await place.front(["--session", "lunch"])
        try await other.mounts(Feature.loggedOut)
        #expect(try await place.sessions().map(\.name) == ["dinner", "lunch"])
        try #require(try await place.run(["kill", "lunch"]).status == 0)
        #expect(try await front.call(Feature.pitBoard, "didTapBack()").isOK)
        // It is followed through its worker's death.
        try await place.killWorker()
        let welcome = try await front.reads {
            $0.type == "welcome" && $0.object["resumed"] as? Bool == true
        }
        #expect(welcome.object["session"] as? String == "dinner")
        #expect(try await place.sessions().map(\.name) == ["dinner"])
        #expect(try await place.run(["kill", "dinner"]).status == 0)
        #expect(await front.child.exit() == 69)
        let errors = await front.child.allErrors()
        #expect(errors.contains("ended by"), "\(errors)")
        #expect(try await place.run(["ls", "--json"]).lines.joined() == "[]")
    }

    // MARK: - detach

    /// A front that is detached ends with status 0, in words, and the others stay.
    private func isDetached(_ front: ControlFront) async throws {
        let other = try await place.front(["--session", "lunch"])
        try await other.mounts(Feature.loggedIn)
        let number = other.number
        #expect(try await place.run(["detach", "lunch", "\(number)"]).status == 0)
        let line = try await other.reads { $0.type == "detached" }
        let reason = try #require(line.object["reason"] as? String)
        #expect(reason.contains("detached from session 'lunch' by another client"))
        #expect(await other.child.exit() == 0)
        #expect(await other.child.allErrors() == "napkin-client: \(reason)\n")
        #expect(try await front.call(Feature.loggedIn, "didTapPitBoard()").isOK)
        #expect(try await place.sessions().first?.fronts.map(\.number) == [front.number])
        for (arguments, words) in [
            (["lunch", "\(number)"], "has no front \(number)"),
            (["lunch", "77"], "has no front 77"), (["brunch"], "no session 'brunch'"),
            (["brunch", "1"], "no session 'brunch'"),
        ] {
            let (status, _, errors) = try await place.run(["detach"] + arguments)
            #expect(status == 66)
            #expect(errors.contains(words), "\(errors)")
        }
        // One that is stopped does not come back when it goes on.
        let stopped = try await place.front(["--session", "lunch"])
        try await stopped.mounts(Feature.pitBoard)
        stopped.child.signal(SIGSTOP)
        #expect(try await place.run(["detach", "lunch", "\(stopped.number)"]).status == 0)
        #expect(try await place.sessions().first?.fronts.map(\.number) == [front.number])
        stopped.child.signal(SIGCONT)
        #expect(await stopped.child.exit() == 0)
        #expect(try await place.sessions().first?.fronts.map(\.number) == [front.number])
        let plain = try place.client(["attach", "rib-house", "--session", "lunch", "--plain"])
        _ = try await plain.line { $0.contains("connected") }
        let terminal = try Terminal(
            Product.path("napkin-client"),
            ["attach", "rib-house", "--session", "lunch", "--socket", place.socket],
            columns: 80, lines: 24, environment: place.environment)
        for word in ["Back", "lunch"] { try await terminal.draws(word) }
        try #require(try await place.run(["detach", "lunch"]).status == 0)
        #expect(await front.child.exit() == 0)
        // A screen says so when it has been left.
        #expect(await terminal.exit() == 0)
        #expect(terminal.drawn.contains("detached from session 'lunch' by another client"))
        #expect(await plain.exit() == 0)
        #expect(await plain.allErrors().contains("by another client, which asked for that"))
        // Nobody is there: that is no mistake.
        try #require(try await place.run(["detach", "lunch"]).status == 0)
        #expect(try await place.sessions().first?.fronts.isEmpty == true)
    }
}
