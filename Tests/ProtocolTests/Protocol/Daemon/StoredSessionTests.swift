// StoredSessionTests: sessions that napkind knows although no worker holds them.

import NapkinProtocol
import Testing

struct StoredSessionTests {
    private static let first = WorkerID(app: "house", number: 1)
    private static let second = WorkerID(app: "house", number: 2)
    /// Later than any name is kept.
    private static let late: UInt64 = 1_000_000

    private func open(_ session: String, creates: Bool = false, app: String = "house") -> Open {
        Open(app: app, session: session, creates: creates)
    }

    private func register(
        _ held: [String], stored: [String], continues: Bool = false
    ) -> Register {
        Register(
            app: "house", pid: 1, socket: "/s", sessions: held, continues: continues,
            stored: stored)
    }

    @Test func `a stored session is known while no worker runs, and found in its place`() {
        var registry = SessionRegistry()
        #expect(registry.found(["a", "b"], storedBy: Self.second) == [])
        #expect(registry.worker(of: "a", at: Self.late) == Self.second)
        #expect(registry.opened(open("a"), at: Self.late, among: [1]) == .admit(session: "a"))
        #expect(registry.opened(open("a", app: "cart"), at: 0) == .refuseAnotherApp("house"))
        #expect(registry.count(of: Self.second) == 0 && registry.exists("b"))
        #expect(registry.stored(by: Self.second).sorted() == ["a", "b"])
        #expect(registry.storing("house") == [Self.second] && registry.storing("cart") == [])
        #expect(registry.isUnused(Self.first, at: 0) && !registry.isUnused(Self.second, at: 0))
        // Another's name stays where it is.
        #expect(registry.found(["a", "c"], storedBy: Self.first) == ["a"])
        #expect(registry.worker(of: "a", at: Self.late) == Self.second)
    }

    @Test func `what a worker tells of its journal replaces what was known of it`() {
        var registry = SessionRegistry()
        _ = registry.found(["a", "b", "c"], storedBy: Self.first)
        registry.workerStarts(Self.first, at: 0)
        #expect(registry.exists("c"))
        registry.registered(register(["a"], stored: ["a"], continues: true), by: 1)
        #expect(registry.exists("c"))
        registry.registered(register([], stored: ["b"]), by: 1)
        #expect(registry.held(by: Self.first) == ["a"])
        #expect(registry.stored(by: Self.first) == ["b"])
        #expect(!registry.exists("c") && registry.worker(of: "c", at: Self.late) == nil)
        // Later ones add, and say what is no longer in memory.
        registry.registered(register([], stored: ["a"]), by: 1)
        #expect(registry.held(by: Self.first) == [] && registry.exists("b"))
        #expect(registry.stored(by: Self.first).sorted() == ["a", "b"])
        #expect(registry.isUnused(Self.first, at: 0))
    }

    @Test func `what a new worker has not stored any more is lost, until somebody knows`() {
        var registry = SessionRegistry()
        registry.registered(register(["a", "b", "live"], stored: ["a", "b"]), by: 1)
        _ = registry.found(["c"], storedBy: Self.second)
        // A session that is opened at start is there again, and empty.
        registry.workerStarts(Self.first, opening: ["a"], at: 0)
        #expect(registry.killed("b", at: 0) == "house")
        #expect(registry.registered(register(["a"], stored: [], continues: true), by: 1) == [])
        #expect(registry.registered(register([], stored: []), by: 1) == ["a"])
        #expect(
            registry.lostSessions(of: "house") == ["a"] && registry.lostSessions(of: "cart") == [])
        registry.workerRemoved(Self.first)
        registry.registered(register(["a"], stored: ["a"]), by: 1)
        #expect(registry.lostSessions(of: "house") == ["a"])
        registry.forgetLost(of: "house")
        #expect(registry.lostSessions(of: "house") == [])
        let names = (10..<40).map { "s\($0)" }
        _ = registry.found(names, storedBy: Self.second)
        for _ in 0..<2 {
            registry.workerStarts(Self.second, at: 0)
            registry.registered(register([], stored: []), by: 2)
        }
        #expect(registry.lostSessions(of: "house") == ["c"] + names.prefix(19))
        registry.appRemoved("house")
        #expect(registry.lostSessions(of: "house") == [])
    }

    @Test func `a worker that dies keeps the names of what it has stored`() {
        var registry = SessionRegistry()
        registry.registered(register(["a", "b"], stored: ["a"]), by: 1)
        #expect(registry.ending(with: Self.first) == ["b"])
        registry.workerStarts(Self.first, at: 0)
        #expect(registry.worker(of: "a", at: Self.late) == Self.first)
        #expect(registry.worker(of: "b", at: Self.late) == nil)
        registry.workerRemoved(Self.first)
        #expect(registry.worker(of: "a", at: 0) == nil)
    }

    @Test func `a stored session that is killed or renamed is not known under its name`() {
        var registry = SessionRegistry()
        _ = registry.found(["a", "b"], storedBy: Self.first)
        #expect(registry.killed("a", at: 0) == "house" && !registry.exists("a"))
        #expect(registry.renameRequested("b", to: "c", at: 0) == .tell(app: "house"))
        #expect(registry.isStored("c") && !registry.exists("b"))
        // Told before the worker has heard of it.
        registry.registered(register([], stored: ["b"]), by: 1)
        #expect(registry.isStored("c") && !registry.exists("b"))
    }

    @Test func `a registration with many stored sessions comes in parts that fit`() throws {
        let names = (0..<1000).map { String(repeating: "n", count: 124) + "\($0)" }
        let parts = register(Array(names[..<300]), stored: names).parts
        #expect(parts.map(\.continues) == Array(repeating: true, count: parts.count - 1) + [false])
        #expect(parts.flatMap(\.sessions) == Array(names[..<300]))
        #expect(parts.flatMap { $0.stored ?? [] }.sorted() == names.sorted())
        for part in parts {
            let frame = try FrameHeader(.register).encoded(part)
            #expect(frame.count <= Limits.controlFrameBytesMax)
            #expect(part.sessions.allSatisfy { part.stored?.contains($0) == true })
        }
    }
}
