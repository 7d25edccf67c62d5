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
        hang: Int = 10, _ body: (Workplace, ControlFront) async throws -> Void
    ) async throws {
        let place = Workplace(
            apps: [InstalledApp("kiln", worker: "LedgerWorker", more: [#""hang": \#(hang)"#])],
            app: "kiln", environment: ["SWIFT_BACKTRACE": "enable=no"])
        try await place.daemon()
        let front = try await place.front()
        try await front.mounts(Self.kiln)
        try await body(place, front)
        // Until here, or its processes would end.
        withExtendedLifetime(place) {}
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

    @Test func `a child's messages and calls pass both ways, in order, and it leaves in order`()
        async throws
    {
        try await withKiln { place, front in
            let child = try await light("a", front)
            let worker = try await place.workerPID()
            #expect(child != worker && !Vitals.hasEnded(child))
            // What it has said while it became active came before its mount.
            #expect(try lines(front) == ["a lit"])
            let seen = front.seen.count
            for degrees in 1...3 {
                let reply = try await front.call(Self.ember, "heat(_:)", "[\(degrees)]")
                #expect(reply.object["value"] as? Int == degrees + 1, "\(reply)")
            }
            let caller = try #require(try lines(front).last?.split(separator: " ").last)
            #expect(try lines(front) == ["a lit"] + (1...3).map { "a at \($0) for \(caller)" })
            #expect(front.seen[seen...].count { $0.type == "effect" } == 3)
            #expect(front.screen.value(Self.ember, "present(heat:)")?.contains("3") == true)
            let question = try front.send(Self.ember, "confirm(_:)", args: #"["sure?"]"#)
            let ask = try await front.reads { $0.type == "ask" }
            try front.child.write(#"{"t":"answer","id":\#(ask.id),"value":true}"#)
            #expect(try await front.reply(to: question).isOK)
            try await front.call(Self.kiln, "douse()")
            #expect(try lines(front).last == "a doused")
            try await Vitals.end(of: child)
            // A front that comes now is shown the same, and no child.
            let other = try await place.front()
            try await shows("a doused", other)
            #expect(!other.screen.features.contains(Self.ember))
        }
    }

    @Test func `a crash fails the event that ran, is told once, and another process goes on`()
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
        }
    }

    @Test func `a child that its parent gives up is detached`() async throws {
        try await withKiln { _, front in
            let child = try await light("once", front)
            kill(child, SIGKILL)
            try await front.shows { !$0.features.contains(Self.ember) }
            try await shows("signal 9", front)
            #expect(try lines(front).count { $0.contains("signal") } == 1)
            // Another can be attached in its place.
            #expect(try await light("b", front) != child)
        }
    }

    @Test func `a child whose loop does not answer is ended, and the crash says that it hung`()
        async throws
    {
        try await withKiln(hang: 1) { _, front in
            let child = try await light("a", front)
            let reply = try await front.call(Self.ember, "smoulder()")
            #expect(reply.errorCode == "interrupted", "\(reply)")
            try await shows("did not answer, and was killed in smoulder()", front)
            #expect(Vitals.hasEnded(child))
            try await shows("a lit", front, times: 2)
        }
    }

    @Test func `a child that is detached while its call runs ends, and the call with it`()
        async throws
    {
        try await withKiln { _, front in
            let child = try await light("a", front)
            let waits = try front.send(Self.ember, "wait()")
            try await shows("waits", front)
            try await front.call(Self.kiln, "douse()")
            // Either answer may come first.
            let known = front.seen.first { $0.type == "reply" && $0.id == waits }
            let ended = if let known { known } else { try await front.reply(to: waits) }
            #expect(!ended.isOK)
            try await Vitals.end(of: child)
            #expect(try lines(front).contains("a doused"))
        }
    }

    @Test func `a killed worker leaves no child, and the next has it back`()
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
        }
    }

    @Test func `what a child's call has changed counts as the event's that led to it`()
        async throws
    {
        try await withKiln { place, front in
            _ = try await light("a", front)
            let waits = try front.send(Self.ember, "wait()")
            try await shows("waits", front)
            try await place.killWorker()
            // Its change is recorded: it is not run again.
            #expect(try await front.reply(to: waits).errorCode == "interrupted")
            try await shows("a lit", front, times: 2)
            #expect(try lines(front).count { $0 == "waits" } == 1)
        }
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
