// InspectionTests: `tree --watch`, `top` and `trace` on a daemon with real fronts.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InspectionTests {
    private let place = Workplace()

    private func object(_ child: Child, from start: Int = 0, where fits: ([String: Any]) -> Bool)
        async throws -> (index: Int, object: [String: Any])
    {
        let (index, line) = try await child.line(from: start) { fits(try JSON.object($0)) }
        return (index, try JSON.object(line))
    }

    private func features(_ node: Any?) -> [String] {
        guard let node = node as? [String: Any] else { return [] }
        let below = (node["children"] as? [Any] ?? []).flatMap(features)
        return [node["feature"] as? String ?? "?"] + below
    }

    private func features(inLine line: [String: Any]) -> [String] {
        (line["trees"] as? [[String: Any]] ?? []).flatMap { features($0["root"]) }
    }

    // MARK: - tree --watch

    @Test
    func `a watched tree is told anew when it changes, top ends as wanted, and tracers are few`()
        async throws
    {
        try await place.daemon()
        let watch = try place.client(["tree", "--watch", "--json", "--interval", "0.02"])
        // The worker is not there yet: it is found when it comes.
        let front = try await place.front()
        let (first, tree) = try await object(watch) {
            features(inLine: $0).contains(Feature.loggedOut)
        }
        #expect(((tree["trees"] as? [[String: Any]])?.first?["epoch"] as? UInt32 ?? 0) > 0)
        try await front.login()
        let (second, _) = try await object(watch, from: first) {
            features(inLine: $0).contains(Feature.loggedIn)
        }
        // Each line is another than the one before.
        let lines = watch.lines[...second]
        for (one, next) in zip(lines, lines.dropFirst()) { #expect(one != next) }
        watch.signal(SIGINT)
        #expect(await watch.exit() == 0)
        // The end of the session ends it with a sentence.
        let other = try place.client(["tree", "rib-house", "--watch"])
        _ = try await other.line { $0.contains(Feature.loggedIn) }
        #expect(try await place.run(["kill", "rib-house"]).status == 0)
        #expect(await other.exit() == 69)
        expectAdvice(await other.allErrors(), from: "napkin-client", ["'rib-house' has ended"])
        try await topEnds()
        try await ninthTracerIsRefused()
    }

    /// A watch goes on when the worker was killed.
    private func watchGoesOn(_ place: Workplace) async throws {
        // Nothing of it is kept, so that its next tree is another one.
        let watch = try place.client(["tree", Question.app, "--watch", "--json"])
        let (index, before) = try await object(watch) {
            features(inLine: $0).contains(Question.desk)
        }
        let epoch = (before["trees"] as? [[String: Any]])?.first?["epoch"] as? UInt32
        try await place.killWorker()
        let (_, after) = try await object(watch, from: index) { line in
            let now = (line["trees"] as? [[String: Any]])?.first?["epoch"] as? UInt32
            return now != nil && now != epoch
        }
        #expect(features(inLine: after).contains(Question.desk))
    }

    // MARK: - top

    @Test
    func `top says how often an event crosses, where its time goes, and slow tracers lose some`()
        async throws
    {
        let place = try await Workplace.questions().started()
        let front = try await place.front()
        try await front.mounts(Question.desk)
        let top = try place.client(["top", Question.app, "--json", "--interval", "0.2"])
        // The first line says that it measures.
        let (first, nothing) = try await object(top) { $0["t"] as? String == "top" }
        #expect((nothing["crossings"] as? [Any])?.isEmpty == true)
        for _ in 1...20 { try await front.call(Question.desk, "didTapRelease()") }
        _ = try await front.call(Question.desk, "didTapFail()")
        var (calls, failures, next) = (0, 0, first + 1)
        var rows: [[String: Any]] = []
        while calls < 21 {
            let (index, line) = try await object(top, from: next) { _ in true }
            next = index + 1
            let events = (line["crossings"] as? [[String: Any]] ?? []).filter {
                $0["delivery"] as? String == "event"
            }
            rows += events
            calls += events.reduce(0) { $0 + ($1["calls"] as? Int ?? 0) }
            failures += events.reduce(0) { $0 + ($1["failures"] as? Int ?? 0) }
        }
        #expect(calls == 21)
        #expect(failures == 1)
        #expect(
            Set(rows.compactMap { $0["method"] as? String })
                == ["didTapRelease()", "didTapFail()"])
        for row in rows {
            #expect(row["feature"] as? String == Question.desk)
            #expect(row["seenBy"] as? String == "front")
            // Parts that nothing could have taken no time for.
            for part in ["p50", "p99", "frontQueue", "workerQueue", "handler", "reply"] {
                #expect((row[part] as? Double ?? -1) > 0, "\(part) of \(row)")
            }
            #expect((row["wire"] as? Double ?? -1) >= 0)
            #expect((row["p50"] as? Double ?? 0) <= (row["p99"] as? Double ?? -1))
        }
        // An ask is measured from the question to the answer.
        let id = try front.send(Question.desk, "didTapEmpty()")
        let ask = try await front.reads { $0.type == "ask" }
        try front.child.write(#"{"t":"answer","id":\#(ask.id),"value":true}"#)
        try await front.reply(to: id)
        func asks(_ line: [String: Any]) -> [[String: Any]] {
            (line["crossings"] as? [[String: Any]] ?? []).filter {
                $0["delivery"] as? String == "ask"
            }
        }
        let (_, line) = try await object(top, from: next) { !asks($0).isEmpty }
        let row = asks(line)[0]
        #expect(row["calls"] as? Int == 1 && row["method"] as? String == "confirm(_:)")
        #expect((row["handler"] as? Double ?? 0) > 0 && row["wire"] == nil)
        top.signal(SIGINT)
        #expect(await top.exit() == 0)
        try await tracerThatDoesNotRead(place, front)
        try await watchGoesOn(place)
    }

    // MARK: - trace

    @Test func `a trace shows what passes, and values of a feature where they are asked for`()
        async throws
    {
        let place = try await Workplace(tick: 0.05).started()
        let front = try await place.front()
        let trace = try place.client(["trace", "rib-house", "--json"])
        _ = try await object(trace) { $0["t"] as? String == "tracing" }
        let values = try place.client(
            ["trace", "rib-house", "--values", "--feature", Feature.loggedIn])
        // On standard error it says when it has begun.
        try await values.errors { $0.contains("tracing session rib-house") }
        try await front.login()
        let (_, line) = try await values.line { $0.contains("present(pitSummary: ") }
        #expect(line.contains("SMOKING"))
        #expect(values.lines.allSatisfy { $0.contains(Feature.loggedIn) })
        let (begin, event) = try await object(trace) { $0["kind"] as? String == "event" }
        #expect(event["feature"] as? String == Feature.loggedOut)
        #expect(event["method"] as? String == "didTapLogin()")
        #expect(event["from"] as? String == "front" && event["front"] as? Int == 1)
        #expect(event["delivery"] as? String == "event" && event["bytes"] as? Int == 0)
        let (_, reply) = try await object(trace, from: begin) { $0["kind"] as? String == "reply" }
        #expect(reply["outcome"] as? String == "done" && reply["from"] as? String == "worker")
        #expect((reply["microseconds"] as? Int ?? -1) >= 0)
        _ = try await object(trace, from: begin) { $0["kind"] as? String == "transition" }
        let (last, state) = try await object(trace, from: begin) {
            $0["kind"] as? String == "state"
        }
        #expect(state["feature"] as? String == Feature.loggedIn)
        for line in trace.lines[...last] { #expect(try JSON.object(line)["value"] == nil) }
        trace.signal(SIGINT)
        #expect(await trace.exit() == 0)
    }

    /// A tracer that does not read loses messages, is told, and costs no more.
    private func tracerThatDoesNotRead(_ place: Workplace, _ front: ControlFront) async throws {
        let trace = try place.client(["trace", Question.app, "--json"])
        _ = try await object(trace) { $0["t"] as? String == "tracing" }
        trace.signal(SIGSTOP)
        // Each call is an event and a reply. The batch that is awaited already takes what one turn
        // has, a window of them at most; then as many stay as a tracer keeps.
        let calls = (2 * 1024 + 4096) / 2 + 1000
        let ids = try (1...calls).map { _ in try front.send(Question.desk, "didTapRelease()") }
        try await front.reply(to: try #require(ids.last))
        #expect(try await tracers(of: place).count <= 1)
        trace.signal(SIGCONT)
        let (_, lost) = try await object(trace) { $0["t"] as? String == "lost" }
        let known = trace.lines.filter { $0.contains(#""kind""#) }.count
        // Without a count when that took so long that the worker has forgotten it.
        #expect((lost["count"] as? Int ?? 1) > 0)
        #expect(known <= 2 * 1024 + 4096)
        // It goes on.
        let read = trace.lines.count
        try await front.call(Question.desk, "didTapFail()")
        _ = try await object(trace, from: read) { $0["outcome"] as? String == "failed" }
    }

    private func tracers(of place: Workplace) async throws -> [[String: Any]] {
        let (_, lines, _) = try await place.run(["tree", "--json"])
        let queues = try JSON.array(lines.joined()).first?["queues"] as? [String: Any]
        #expect((queues?["limits"] as? [String: Int])?["traceMessagesMax"] == 4096)
        let tracers = queues?["tracers"] as? [[String: Any]] ?? []
        for tracer in tracers { #expect((tracer["messages"] as? Int ?? .max) <= 4096) }
        return tracers
    }

    /// A ninth tracer is refused, and one that is gone makes room.
    private func ninthTracerIsRefused() async throws {
        let front = try await place.front()
        let tracers = try (1...8).map { _ in try place.client(["trace", "rib-house", "--json"]) }
        for tracer in tracers { _ = try await tracer.line { $0.contains("tracing") } }
        try await place.fails(["trace", "rib-house"], 75, saying: ["8 tools already trace"])
        tracers[0].signal(SIGKILL)
        // It is forgotten 5 s after its last question; nothing else tells the worker.
        while try await self.tracers(of: place).count == 8 {}
        let another = try place.client(["trace", "rib-house", "--json"])
        _ = try await another.line { $0.contains("tracing") }
        _ = front
    }

    /// It ends after as many intervals as were wanted, and what cannot be shown is named.
    private func topEnds() async throws {
        let (status, lines, _) = try await place.run(
            ["top", "--json", "--interval", "0.1", "--count", "3"])
        #expect(status == 0 && lines.count == 3)
        let (_, text, _) = try await place.run(["top", "--interval", "0.1", "--count", "1"])
        #expect(text.first?.hasPrefix("FEATURE") == true && text.contains("Nothing has crossed."))
        try await place.fails(
            ["top", "rib-hose"], 66, saying: ["'rib-hose'", "did you mean 'rib-house'?"])
        try await place.fails(["trace", "rib-house"], 66, saying: ["no session"])
        let front = try await place.front()
        try await place.fails(
            ["trace", "rib-hous"], 66, saying: ["'rib-hous'", "did you mean 'rib-house'?"])
        try await place.fails(
            ["trace", "rib-house", "--feature", "rib-house.loged-in"], 66,
            saying: ["no feature 'rib-house.loged-in'", "did you mean 'rib-house.logged-in'?"])
        _ = front
    }
}
