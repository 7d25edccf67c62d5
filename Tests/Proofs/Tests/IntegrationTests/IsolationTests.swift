// IsolationTests: apps whose sessions are spread over processes, as their manifests choose.

import Foundation
import ProofSupport
import Testing

extension Depot {
    /// Installs the till with that isolation, and returns when napkind has seen it.
    fileprivate func install(
        isolation: String, says words: String = "app found", times: Int = 1
    ) async throws {
        try await install(more: #", "isolation": \#(isolation)"#, says: words, times: times)
    }

    /// Returns the workers' lines, by their names.
    fileprivate func workers() async throws -> [String: [String: Any]] {
        let workers = try await app()?["workers"] as? [[String: Any]] ?? []
        return Dictionary(
            uniqueKeysWithValues: workers.map { ($0["worker"] as? String ?? "?", $0) })
    }

    /// Creates the sessions, several at a time, and returns what each till has counted.
    fileprivate func ring(_ names: [String]) async throws -> [String: String] {
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            var found: [String: String] = [:]
            for (index, name) in names.enumerated() {
                if index >= 6, let (name, count) = try await group.next() { found[name] = count }
                group.addTask {
                    let (status, lines, errors) = try await ring(name)
                    try Failure.unless(status == 0, "\(name): \(errors)")
                    return (name, lines.joined())
                }
            }
            for try await (name, count) in group { found[name] = count }
            return found
        }
    }
}

extension ControlFront {
    /// What the till has counted.
    fileprivate func ring() async throws -> Int? {
        try await call(Depot.till, "ring()").object["value"] as? Int
    }
}

@Suite(.timeLimit(.minutes(10)))
struct IsolationTests {
    @Test func `sessions are spread over two workers, and one's death is none of the other's`()
        async throws
    {
        let depot = try await Depot()
        try await depot.install(isolation: #"{"workers": 2}"#)
        #expect(try await depot.workers().isEmpty)
        var fronts: [String: ControlFront] = [:]
        for name in ["a", "b", "c", "d"] {
            fronts[name] = try await depot.place.front(["--session", name])
        }
        let pids = try await depot.held()
        #expect(pids["a"] == pids["c"] && pids["b"] == pids["d"] && pids["a"] != pids["b"])
        let workers = try await depot.workers()
        #expect(workers.keys.sorted() == ["till~1", "till~2"])
        for (name, session) in [("till~1", "a"), ("till~2", "b")] {
            #expect(workers[name]?["pid"] as? Int32 == pids[session])
            #expect(workers[name]?["sessions"] as? Int == 2)
        }
        #expect(try await depot.app()?["sessions"] as? Int == 4)
        // What concerns an app concerns all of its workers, and one can be named.
        let cases: [(name: String, has: [String])] = [
            ("till", ["a", "b", "c", "d"]), ("till~2", ["b", "d"]), ("a", ["a"]),
        ]
        for (name, has) in cases {
            let (status, lines, errors) = try await depot.place.run(["tree", name, "--json"])
            #expect(status == 0, "\(errors)")
            let trees = try JSON.array(lines.joined()).compactMap { $0["session"] as? String }
            #expect(trees.sorted() == has)
            let top = try await depot.place.run(
                ["top", name, "--interval", "0.1", "--count", "1", "--json"])
            #expect(top.status == 0, "\(top.errors)")
        }
        #expect(try await depot.place.run(["tree", "till~3"]).status != 0)
        for front in fronts.values { #expect(try await front.ring() == 1) }
        kill(try #require(pids["b"]), SIGKILL)
        for name in ["b", "d"] {
            try await fronts[name]?.reads { $0.type == "resumed" }
            #expect(try await fronts[name]?.ring() == 1)
        }
        for name in ["a", "c"] {
            #expect(try await fronts[name]?.ring() == 2)
            #expect(fronts[name]?.wasDisconnected == false)
        }
        let later = try await depot.held()
        #expect(later["a"] == pids["a"] && later["c"] == pids["a"])
        #expect(later["b"] == later["d"] && later["b"] != pids["b"] && later["b"] != pids["a"])
        #expect(try await depot.workers()["till~2"]?["crashes"] as? Int == 1)
        #expect(try await depot.workers()["till~1"]?["crashes"] as? Int == 0)
        try await nothingOpensTwice(depot)
    }

    @Test(arguments: [#"{"workers": 2}"#, #""session""#])
    func `napkind dies and comes back, and every session is in the process that it was in`(
        isolation: String
    ) async throws {
        let depot = try await Depot()
        try await depot.install(isolation: isolation)
        let names = ["a", "b", "c", "d", "e"]
        var fronts: [ControlFront] = []
        for name in names { fronts.append(try await depot.place.front(["--session", name])) }
        #expect(try await depot.place.run(["rename", "c", "x"]).status == 0)
        let pids = try await depot.held()
        #expect(pids.keys.sorted() == ["a", "b", "d", "e", "x"])
        var daemon = depot.daemon
        for round in 1...2 {
            try await killed(daemon)
            for front in fronts { #expect(try await front.ring() == round * 2 - 1) }
            daemon = try await depot.place.daemon(["--log-level", "info"])
            #expect(try await depot.held() == pids)
            for front in fronts { #expect(try await front.ring() == round * 2) }
        }
        #expect(fronts.allSatisfy { !$0.wasDisconnected })
        #expect(Set(depot.running) == Set(pids.values))
        // The next napkind finds who is where, and room.
        #expect(try await depot.ring("x").1 == ["5"])
        #expect(try await depot.ring("f").1 == ["1"])
        let after = try await depot.held()
        #expect(after.count == 6 && pids.allSatisfy { after[$0.key] == $0.value })
        let isApart = isolation == #""session""#
        #expect(Set(after.values).count == (isApart ? 6 : 2))
    }

    @Test func `a process that has lost its session ends, and its place is free`() async throws {
        let depot = try await Depot()
        try await depot.install(isolation: #""session""#)
        _ = try await depot.ring(["a", "b"])
        let pids = try await depot.held()
        let names = try await depot.workers()
        let name = try #require(names.first { $0.value["pid"] as? Int32 == pids["a"] }?.key)
        #expect(try await depot.place.run(["kill", "a"]).status == 0)
        while try await depot.workers().count > 1 {}
        #expect(depot.running == [try #require(pids["b"])])
        #expect(try await depot.workers()[name] == nil)
        #expect(try await depot.ring("c").1 == ["1"])
        let third = try #require(try await depot.held()["c"])
        #expect(try await depot.workers()[name]?["pid"] as? Int32 == third)
        // Nobody needs to be there for a session to come back.
        kill(third, SIGKILL)
        while try await [nil, third].contains(depot.held()["c"]) {}
        #expect(try await depot.held()["b"] == pids["b"])
        // A question about the app starts a worker, which is not needed afterwards.
        for session in ["b", "c"] {
            #expect(try await depot.place.run(["kill", session]).status == 0)
        }
        while try await !depot.workers().isEmpty {}
        #expect(try await depot.place.run(["schema", "till"]).status == 0)
        while try await !depot.workers().isEmpty {}
        #expect(depot.running.isEmpty)
        #expect(try await depot.app()?["state"] as? String == "idle")
        #expect(!depot.daemon.errorText.contains("killed"))
        // A session's name may look like an option of its worker.
        for name in ["-x", "--worker"] {
            let front = try await depot.place.front(["--session=\(name)"])
            #expect(try await front.ring() == 1)
            kill(try #require(try await depot.held()[name]), SIGKILL)
            try await front.reads { $0.type == "resumed" }
            #expect(try await front.ring() == 1)
        }
    }

    @Test func `another isolation counts for new sessions, and no process is left without one`()
        async throws
    {
        let depot = try await Depot()
        try await depot.install(isolation: #""shared""#)
        let first = try await depot.place.front(["--session", "a"])
        _ = try await depot.ring(["b"])
        let shared = try #require(try await depot.held()["a"])
        #expect(try await depot.app()?["workers"] == nil)
        // The app's own session, which no manifest names here.
        #expect(try await depot.held()["main"] == shared)
        try await depot.install(isolation: #""session""#, says: "app changed")
        for name in ["c", "d"] { _ = try await depot.ring(name) }
        let apart = try await depot.held()
        #expect(apart["a"] == shared && apart["b"] == shared && Set(apart.values).count == 3)
        try await depot.install(isolation: #"{"workers": 1}"#, says: "app changed", times: 2)
        for name in ["b", "d", "main"] {
            #expect(try await depot.place.run(["kill", name]).status == 0)
        }
        while try await depot.workers().count > 2 {}
        #expect(try await first.ring() == 1 && !first.wasDisconnected)
        #expect(try await depot.place.run(["kill", "a"]).status == 0)
        try await Vitals.end(of: shared)
        #expect(try await depot.workers().keys.sorted() == ["till~1"])
        try await depot.install(isolation: #""shared""#, says: "app changed", times: 3)
        _ = try await depot.ring(["e"])
        let last = try await depot.held()
        #expect(last.count == 2 && last["c"] != last["e"])
        #expect(try await depot.place.run(["kill", "c"]).status == 0)
        while try await depot.app()?["workers"] != nil {}
        #expect(try await depot.place.workerPID() == last["e"])
    }

    /// While a worker has yet to register, no session is opened a second time.
    private func nothingOpensTwice(_ depot: Depot) async throws {
        _ = try await depot.ring(["a", "b"])
        let pids = try await depot.held()
        let stopped = try #require(pids["b"])
        kill(stopped, SIGSTOP)
        try await killed(depot.daemon)
        try await depot.place.daemon(["--log-level", "info"])
        let refused = try await depot.ring("b")
        #expect(refused.0 == 69 && refused.2.contains("has outlived"), "\(refused)")
        #expect(try await depot.ring("a").1 == ["4"])
        kill(stopped, SIGCONT)
        while try await depot.ring("b").0 != 0 {}
        #expect(try await depot.held() == pids)
    }
}
