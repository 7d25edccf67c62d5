// ChildProcessTests: a child in a process of its own, over real processes: its calls, its crashes,
// its hangs, and what its parent's death leaves.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ChildProcessTests {
    private static let kiln = "kiln.kiln"
    private static let ember = "kiln.ember"

    /// Runs a test with a front of a kiln.
    private func withKiln(
        hang: Int = 10, more: [String] = [], _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let manifest = [#""hang": \#(hang)"#] + more
        let place = Workplace(
            apps: [InstalledApp("kiln", worker: "LedgerWorker", more: manifest)], app: "kiln",
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.kiln)
        try await body(place, front)
        // Until here, or its processes would end.
        withExtendedLifetime(place) {}
    }

    /// A front of a kiln in a session of its own.
    private func kiln(_ session: String, _ place: Workplace) async throws -> ControlFront {
        let front = try await place.front(["--session", session])
        try await front.mounts(Self.kiln)
        return front
    }

    /// Attaches a child; returns its process.
    private func light(_ name: String, _ front: ControlFront) async throws -> Int32 {
        let id = try front.send(Self.kiln, "light(_:)", args: #"["\#(name)"]"#)
        try await front.mounts(Self.ember)
        try await front.reply(to: id)
        return try process(front)
    }

    private func process(_ front: ControlFront) throws -> Int32 {
        let text = front.screen.value(Self.ember, "present(process:)")
        return try #require(text.flatMap { Int32($0.filter(\.isNumber)) }, "\(front.screen)")
    }

    private func lines(_ front: ControlFront) throws -> [String] {
        let text = front.screen.value(Self.kiln, "present(lines:)") ?? "–"
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        if let lines = value as? [String] { return lines }
        return (value as? [String: Any])?["lines"] as? [String] ?? []
    }

    private func shows(_ line: String, _ front: ControlFront, times: Int = 1) async throws {
        try await front.shows { _ in
            // Before the first state there is nothing to read.
            ((try? lines(front)) ?? []).count { $0.contains(line) } >= times
        }
    }

    @Test func `a child's calls pass both ways, in order, and it leaves as its parent or it wants`()
        async throws
    {
        try await withKiln { place, front in
            try await pass(place, front)
            try await endsWithItsCall(try await kiln("wait", place))
            try await routeWhileActivating(try await kiln("route", place))
        }
    }

    /// Messages and calls in their order, also those of its end.
    private func pass(_ place: Workplace, _ front: ControlFront) async throws {
        let child = try await light("a", front)
        let worker = try await place.workerPID()
        #expect(child != worker && !Vitals.hasEnded(child))
        // What it has said while it became active came before its mount.
        // It counts as the event's that has attached it.
        let caller = try #require(try lines(front).last?.split(separator: " ").last)
        #expect(try lines(front) == ["a lit for \(caller)"])
        let seen = front.seen.count
        for degrees in 1...3 {
            let reply = try await front.call(Self.ember, "heat(_:)", "[\(degrees)]")
            #expect(reply.object["value"] as? Int == degrees + 1, "\(reply)")
        }
        let heated = (1...3).map { "a at \($0) for \(caller)" }
        #expect(try lines(front) == ["a lit for \(caller)"] + heated)
        #expect(front.seen[seen...].count { $0.type == "effect" } == 3)
        #expect(front.screen.value(Self.ember, "present(heat:)")?.contains("3") == true)
        let question = try front.send(Self.ember, "confirm(_:)", args: #"["sure?"]"#)
        let ask = try await front.reads { $0.type == "ask" }
        try front.child.write(#"{"t":"answer","id":\#(ask.id),"value":true}"#)
        #expect(try await front.reply(to: question).isOK)
        try await front.call(Self.kiln, "douse()")
        #expect(try lines(front).last == "a doused for \(caller)")
        try await Vitals.end(of: child)
        // A front that comes now is shown the same, and no child.
        let other = try await place.front()
        try await shows("a doused", other)
        #expect(!other.screen.features.contains(Self.ember))
    }

    @Test func `a crash fails its event, is told once, and a process goes on unless given up`()
        async throws
    {
        try await withKiln { place, front in
            let child = try await light("a", front)
            let burst = try await front.call(Self.ember, "burst()")
            #expect(!burst.isOK && burst.errorCode == "interrupted", "\(burst)")
            try await shows("a lit", front, times: 2)
            let crashes = try lines(front).filter { $0.contains("signal") }
            #expect(crashes.count == 1 && crashes[0].hasSuffix("in burst()"), "\(crashes)")
            #expect(try lines(front).contains { $0.hasPrefix("a bursts for ") })
            // What it presents comes with the end of its activation.
            try await front.shows { _ in (try? process(front)) != child }
            #expect(try await front.call(Self.ember, "heat(_:)", "[7]").isOK)
            #expect(!front.wasDisconnected && front.mountCount(Self.ember) == 1)
            // One that is killed while nothing runs is restarted, too.
            kill(try process(front), SIGKILL)
            try await shows("signal 9", front)
            try await shows("a lit", front, times: 3)
            let (_, log, _) = try await place.run(["logs", "kiln"])
            #expect(log.contains { $0.contains("childCrashed") }, "\(log)")
            try await showReceipts(in: place)
            try await isGivenUp(try await kiln("once", place))
            try await lies(try await kiln("lie", place))
        }
    }

    /// After a trap in `burst()`, and a kill from outside.
    private func showReceipts(in place: Workplace) async throws {
        var receipts: [[String: Any]] = []
        // The front may know of the second one sooner.
        while receipts.count < 2 {
            receipts = try JSON.array(
                try await place.run(["crash", "ls", "kiln", "--json"]).lines.joined())
        }
        let (trap, kill) = (receipts[0], receipts[receipts.count - 1])
        #expect(trap["child"] as? String == "kiln.kiln/kiln.ember" && trap["signal"] != nil)
        #expect((trap["cause"] as? String)?.contains("said: LedgerWorker/") == true, "\(trap)")
        #expect((trap["cause"] as? String)?.contains("burst on purpose") == true, "\(trap)")
        let input = try #require(trap["input"] as? [String: Any])
        #expect(input["session"] as? String == "kiln" && input["kind"] as? String == "event")
        #expect(kill["input"] == nil && kill["signal"] == nil)
        #expect((kill["cause"] as? String)?.hasSuffix("signal 9") == true, "\(kill)")
        let (_, lines, errors) = try await place.run(["crash", "show", "kiln", "1"])
        for words in [
            "child    kiln.kiln/kiln.ember", "kiln.ember burst(), event", "EmberInteractor",
        ] {
            #expect(lines.contains { $0.contains(words) }, "\(words): \(lines) \(errors)")
        }
        try await place.fails(
            ["crash", "replay", "kiln", "1"], 65, saying: ["in the process of the child"])
    }

    @Test func `a child with which its worker exceeds a limit is ended, and the worker lives`()
        async throws
    {
        try await withKiln(more: [#""limits": {"memory": 268435456}"#]) { place, front in
            let child = try await light("a", front)
            let worker = try await place.workerPID()
            let reply = try await front.call(Self.ember, "burn(_:)", "[300]")
            #expect(reply.errorCode == "interrupted", "\(reply)")
            try await shows("signal 9", front)
            #expect(Vitals.hasEnded(child) && !Vitals.hasEnded(worker))
            let lines = try await place.run(["crash", "ls", "kiln"]).lines.joined(separator: " ")
            #expect(lines.contains("'memory' in 'limits' of its manifest"), "\(lines)")
        }
    }

    /// A child that its parent gives up is detached.
    private func isGivenUp(_ front: ControlFront) async throws {
        let child = try await light("once", front)
        kill(child, SIGKILL)
        try await front.shows { !$0.features.contains(Self.ember) }
        try await shows("signal 9", front)
        #expect(try lines(front).count { $0.contains("signal") } == 1)
        // Another can be attached in its place.
        #expect(try await light("b", front) != child)
    }

    @Test func `a child whose loop does not answer is ended, and the crash says that it hung`()
        async throws
    {
        try await withKiln(hang: 1) { place, front in
            let child = try await light("a", front)
            let reply = try await front.call(Self.ember, "smoulder()")
            #expect(reply.errorCode == "interrupted", "\(reply)")
            try await shows("did not answer, and was killed in smoulder()", front)
            #expect(Vitals.hasEnded(child))
            try await shows("a lit", front, times: 2)
            let lines = try await place.run(["crash", "show", "kiln", "1"]).lines
            #expect(lines.contains { $0.contains("EmberInteractor.smoulder") }, "\(lines)")
        }
    }

    /// A child that is detached while its call runs ends, and the call with it.
    private func endsWithItsCall(_ front: ControlFront) async throws {
        let child = try await light("a", front)
        let waits = try front.send(Self.ember, "wait()")
        try await shows("waits", front)
        try await front.call(Self.kiln, "douse()")
        // Either answer may come first.
        let known = front.seen.first { $0.type == "reply" && $0.id == waits }
        let ended = if let known { known } else { try await front.reply(to: waits) }
        #expect(!ended.isOK)
        try await Vitals.end(of: child)
        try await shows("a doused", front)
    }

    /// What a child calls while it becomes active may route.
    private func routeWhileActivating(_ front: ControlFront) async throws {
        let id = try front.send(Self.kiln, "light(_:)", args: #"["first"]"#)
        #expect(try await front.reply(to: id).isOK)
        #expect(front.mountCount(Self.ember) == 2)
        try await shows("twin lit", front)
        try await front.call(Self.kiln, "douse()")
        // And one that has itself detached is never shown.
        let brief = try front.send(Self.kiln, "light(_:)", args: #"["brief"]"#)
        try await shows("detached, cancelled: false", front)
        try await front.call(Self.kiln, "release()")
        #expect(try await front.reply(to: brief).isOK)
        #expect(front.mountCount(Self.ember) == 2)
        try await shows("brief doused", front)
    }

    /// An answer that is no value of its contract is the child's fault.
    private func lies(_ front: ControlFront) async throws {
        let child = try await light("a", front)
        let reply = try await front.call(Self.ember, "lie()")
        #expect(reply.errorCode == "failed", "\(reply)")
        #expect("\(reply)".contains("the process of kiln.ember broke its contract"))
        try await shows("its answer cannot be read", front)
        try await shows("a lit", front, times: 2)
        #expect(Vitals.hasEnded(child) && !front.wasDisconnected)
    }

    @Test func `a killed worker leaves no child, the next has it back, and no call runs twice`()
        async throws
    {
        try await withKiln { place, front in
            let child = try await light("a", front)
            try await front.call(Self.ember, "heat(_:)", "[5]")
            // It does not notice anything by itself.
            try front.send(Self.ember, "smoulder()")
            let before = try lines(front)
            try await place.killWorker()
            try await Vitals.end(of: child)
            try await front.reads { $0.type == "resumed" }
            try await shows("a lit", front, times: 2)
            #expect(try lines(front).starts(with: before))
            try await front.mounts(Self.ember)
            try await isNotRunAgain(place, try await kiln("wait", place))
        }
    }

    /// What a child's call has changed counts as the event's that led to it.
    private func isNotRunAgain(_ place: Workplace, _ front: ControlFront) async throws {
        _ = try await light("a", front)
        let waits = try front.send(Self.ember, "wait()")
        try await shows("waits", front)
        try await place.killWorker()
        // Its change is recorded: it is not run again.
        #expect(try await front.reply(to: waits).errorCode == "interrupted")
        try await shows("a lit", front, times: 2)
        #expect(try lines(front).count { $0 == "waits" } == 1)
    }

    @Test func `the recorder reads on when its stream was killed, and stops if that helps nothing`()
        async throws
    {
        let place = try await Workplace(app: "transcription").started()
        let front = try await place.front()
        let recorder = "transcription.recorder"
        try await front.mounts(recorder)
        let path = place.directory + "/take.txt"
        try "0 = one\n0.1 = two\n0.2 ~ thr\n3600 = three\n".write(
            toFile: path, atomically: false, encoding: .utf8)
        try await front.call(recorder, "didChoose(source:)", #"["\#(path)"]"#)
        #expect(try await front.call(recorder, "didTapRecord()").isOK)
        func shows(_ words: String) async throws {
            try await front.shows {
                $0.value(recorder, "present(model:)")?.contains(words) == true
            }
        }
        try await shows("Recording · 0.20 s")
        let worker = try await place.workerPID()
        // The tentative line comes again.
        for words in ["0.20 s · the stream crashed, and was read on", "stopped at"] {
            let stream = try #require(Vitals.children(of: worker).first)
            kill(stream, SIGKILL)
            try await shows(words)
            try await Vitals.end(of: stream)
        }
        try await shows("one two")
        #expect(Vitals.children(of: worker).isEmpty)
        #expect(try await place.workerPID() == worker)
    }
}
