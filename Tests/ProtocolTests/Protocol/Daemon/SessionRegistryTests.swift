// SessionRegistryTests: whose a session is, and how one is found that has another name.

import NapkinProtocol
import Testing

struct SessionRegistryTests {
    /// The only worker of the house.
    private static let house = WorkerID(app: "house", number: 0)

    private func open(
        _ session: String?, app: String = "house", creates: Bool = true, epoch: UInt32? = nil
    ) -> Open { Open(app: app, session: session, creates: creates, epoch: epoch) }

    /// A session `lunch` that is called `dinner` now, and whose tree has the epoch 7.
    private func renamed() -> SessionRegistry {
        var registry = SessionRegistry()
        #expect(registry.opened(open("lunch"), at: 0) == .admit(session: "lunch"))
        #expect(registry.renameRequested("lunch", to: "dinner", at: 0) == .tell(app: "house"))
        registry.renameAnswered(Renaming(session: "dinner", epoch: 7))
        return registry
    }

    @Test func `a session is known from its first open until it is killed`() {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a", creates: false), at: 0) == .refuseUnknown)
        #expect(registry.opened(open("a"), at: 0) == .admit(session: "a"))
        #expect(registry.opened(open("a", creates: false), at: 0) == .admit(session: "a"))
        #expect(registry.opened(open("a", app: "cart"), at: 0) == .refuseAnotherApp("house"))
        #expect(registry.opened(open(nil), at: 0) == .admit(session: "house"))
        #expect(registry.killed("a", at: 0) == "house")
        #expect(registry.killed("a", at: 0) == nil)
        #expect(registry.opened(open("a", app: "cart"), at: 0) == .admit(session: "a"))
    }

    @Test func `a worker that starts again holds nothing, and its names are kept for a while`() {
        var registry = SessionRegistry()
        registry.registered(
            Register(app: "house", pid: 1, socket: "/s", sessions: ["a", "b", "c"]))
        #expect(registry.count(of: Self.house) == 3)
        // What it is told to open is expected of the next attempt as well.
        registry.workerStarts(Self.house, opening: ["c"], at: 1000)
        #expect(registry.held(by: Self.house) == ["c"])
        registry.workerStarts(Self.house, at: 1000)
        #expect(registry.count(of: Self.house) == 0)
        let end = 1000 + UInt64(Limits.nameReservationSeconds) * 1000
        #expect(registry.opened(open("a", creates: false), at: end - 1) == .admit(session: "a"))
        #expect(registry.opened(open("b", creates: false), at: end) == .refuseUnknown)
        registry.registered(Register(app: "house", pid: 2, socket: "/s", sessions: ["b"]))
        #expect(registry.held(by: Self.house) == ["b"])
    }

    @Test func `the names of an app that is hosted no more are free`() {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a"), at: 0) == .admit(session: "a"))
        #expect(registry.opened(open("b", app: "cart"), at: 0) == .admit(session: "b"))
        registry.appRemoved("house")
        #expect(registry.opened(open("a", app: "cart"), at: 0) == .admit(session: "a"))
        #expect(registry.opened(open("b"), at: 0) == .refuseAnotherApp("cart"))
    }

    @Test func `a name that is opened at start is its app's, also while there is no session`() {
        var registry = SessionRegistry(owners: ["main": "house"])
        #expect(registry.owner(of: "main", at: 0) == "house")
        #expect(registry.opened(open("main", app: "cart"), at: 0) == .refuseAnotherApp("house"))
        #expect(registry.opened(open("main", creates: false), at: 0) == .refuseUnknown)
        // Nobody else's session gets it, and the app's own may.
        _ = registry.opened(open("aside", app: "cart"), at: 0)
        _ = registry.opened(open("lunch"), at: 0)
        #expect(
            registry.renameRequested("aside", to: "main", at: 0) == .refuseTaken(app: "house"))
        #expect(registry.renameRequested("lunch", to: "main", at: 0) == .tell(app: "house"))
        #expect(registry.app(of: "main", at: 0) == "house")
        // From now on the session is there, and its name taken.
        _ = registry.opened(open("lunch"), at: 0)
        #expect(
            registry.renameRequested("lunch", to: "main", at: 0) == .refuseTaken(app: "house"))
        #expect(registry.killed("main", at: 0) == "house")
        #expect(registry.opened(open("main", app: "cart"), at: 0) == .refuseAnotherApp("house"))
        #expect(registry.opened(open("main"), at: 0) == .admit(session: "main"))
    }

    private func register(_ sessions: String...) -> Register {
        Register(app: "house", pid: 1, socket: "/s", sessions: sessions)
    }

    @Test func `what a worker says before it has heard of a new name is of the same session`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"), at: 0)
        #expect(registry.renameRequested("lunch", to: "dinner", at: 0) == .tell(app: "house"))
        registry.registered(register("lunch"))
        #expect(registry.count(of: Self.house) == 1)
        #expect(registry.app(of: "lunch", at: 0) == nil)
        // Also when it is told of another one, and when that one is the first.
        #expect(registry.renameRequested("dinner", to: "lunch", at: 0) == .tell(app: "house"))
        registry.registered(register("lunch"))
        #expect(registry.app(of: "dinner", at: 0) == nil)
        registry.renameAnswered(Renaming(session: "dinner", epoch: 7))
        registry.renameAnswered(Renaming(session: "lunch", epoch: 7))
        #expect(registry.count(of: Self.house) == 1)
        // From here on a session of the name before is another one.
        registry.registered(register("dinner"))
        #expect(registry.count(of: Self.house) == 2)
    }

    @Test func `a name that could not be given is free for what the worker says`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"), at: 0)
        #expect(registry.renameRequested("lunch", to: "dinner", at: 0) == .tell(app: "house"))
        registry.renameFailed("lunch", to: "dinner")
        registry.registered(register("lunch"))
        #expect(registry.app(of: "lunch", at: 0) == "house")
        #expect(registry.app(of: "dinner", at: 0) == nil)
    }

    @Test func `a front that returns finds the session under its new name`() {
        var registry = renamed()
        #expect(registry.opened(open("lunch", epoch: 7), at: 0) == .admit(session: "dinner"))
        #expect(
            registry.opened(open("lunch", creates: false, epoch: 7), at: 0)
                == .admit(session: "dinner"))
        #expect(registry.app(of: "lunch", at: 0) == nil)
    }

    @Test func `the former name is free, and its next session is another one`() {
        var registry = renamed()
        #expect(registry.opened(open("lunch", creates: false), at: 0) == .refuseUnknown)
        #expect(registry.opened(open("lunch"), at: 0) == .admit(session: "lunch"))
        #expect(registry.opened(open("lunch", epoch: 8), at: 0) == .admit(session: "lunch"))
        #expect(registry.opened(open("lunch", epoch: 7), at: 0) == .admit(session: "dinner"))
    }

    @Test func `epochs follow a session over all of its names and all of its trees`() {
        var registry = renamed()
        // Its worker has been started again; the tree is another one.
        #expect(registry.renameRequested("dinner", to: "supper", at: 0) == .tell(app: "house"))
        registry.renameAnswered(Renaming(session: "supper", epoch: 9))
        for epoch: UInt32 in [7, 9] {
            #expect(
                registry.opened(open("lunch", epoch: epoch), at: 0) == .admit(session: "supper"))
        }
        #expect(registry.killed("supper", at: 0) == "house")
        #expect(registry.opened(open("lunch", creates: false, epoch: 7), at: 0) == .refuseUnknown)
    }

    @Test func `a name that is taken is refused, whoever has it`() {
        var registry = renamed()
        #expect(registry.opened(open("cart", app: "cart"), at: 0) == .admit(session: "cart"))
        #expect(registry.renameRequested("dinner", to: "cart", at: 0) == .refuseTaken(app: "cart"))
        #expect(registry.renameRequested("lunch", to: "brunch", at: 0) == .refuseUnknown)
        #expect(registry.opened(open("dinner", creates: false), at: 0) == .admit(session: "dinner"))
    }

    @Test func `what is opened while the worker is asked belongs to the new names`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"), at: 0)
        #expect(registry.renameRequested("lunch", to: "dinner", at: 0) == .tell(app: "house"))
        #expect(registry.opened(open("dinner", creates: false), at: 0) == .admit(session: "dinner"))
        #expect(registry.opened(open("lunch", creates: false), at: 0) == .refuseUnknown)
    }

    @Test func `a rename that fails leaves everything as it was`() {
        var registry = renamed()
        #expect(registry.renameRequested("dinner", to: "supper", at: 0) == .tell(app: "house"))
        registry.renameFailed("dinner", to: "supper")
        #expect(registry == renamed())
        // Unless somebody has taken the name meanwhile: then both stay.
        #expect(registry.renameRequested("dinner", to: "supper", at: 0) == .tell(app: "house"))
        _ = registry.opened(open("dinner"), at: 0)
        registry.renameFailed("dinner", to: "supper")
        #expect(registry.app(of: "supper", at: 0) == "house")
        #expect(registry.app(of: "dinner", at: 0) == "house")
    }

    @Test func `a session that is killed while it is renamed leads nowhere`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"), at: 0)
        _ = registry.renameRequested("lunch", to: "dinner", at: 0)
        #expect(registry.killed("dinner", at: 0) == "house")
        registry.renameAnswered(Renaming(session: "dinner", epoch: 7))
        #expect(registry == SessionRegistry())
    }

    @Test func `a worker tells the next napkind what it holds, and what was renamed`() {
        var registry = SessionRegistry()
        registry.registered(
            Register(
                app: "house", pid: 1, socket: "/s", sessions: ["dinner", "house"],
                renamed: [Renaming(session: "dinner", epoch: 7)]))
        #expect(
            registry.opened(open("lunch", creates: false, epoch: 7), at: 0)
                == .admit(session: "dinner"))
        #expect(registry.opened(open("house", creates: false), at: 0) == .admit(session: "house"))
        #expect(registry.opened(open("dinner", app: "cart"), at: 0) == .refuseAnotherApp("house"))
    }

    // MARK: - Names that nobody uses

    private static let life = UInt64(Limits.nameReservationSeconds) * 1000

    @Test(arguments: [-1, 0, 1]) func `a name whose ticket nobody has used is forgotten in time`(
        offset: Int
    ) {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a"), at: 100) == .admit(session: "a"))
        registry.openEnded("a", at: 500)
        let then = (500 + Self.life).advanced(by: offset)
        #expect(registry.app(of: "a", at: then) == (offset < 0 ? "house" : nil))
        let again = registry.opened(open("a", creates: false), at: then)
        #expect(again == (offset < 0 ? .admit(session: "a") : .refuseUnknown))
        let other = registry.opened(open("a", app: "cart"), at: then)
        #expect(other == (offset < 0 ? .refuseAnotherApp("house") : .admit(session: "a")))
    }

    @Test func `a name is kept while an open for it is under way, and while its session is held`() {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a"), at: 0) == .admit(session: "a"))
        #expect(registry.opened(open("a"), at: 1) == .admit(session: "a"))
        registry.openEnded("a", at: 2)
        #expect(registry.app(of: "a", at: Self.life * 9) == "house")
        registry.registered(Register(app: "house", pid: 1, socket: "/s", sessions: ["a"]))
        registry.openEnded("a", at: 3)
        #expect(registry.app(of: "a", at: Self.life * 9) == "house")
        #expect(
            registry.count(of: Self.house) == 1
                && registry.count(of: WorkerID(app: "cart", number: 0)) == 0)
        #expect(registry.killed("a", at: 4) == "house")
        #expect(registry.count(of: Self.house) == 0)
    }

    @Test func `what a worker has said of a session before it ended it is void`() {
        var registry = SessionRegistry()
        let held = Register(app: "house", pid: 1, socket: "/s", sessions: ["a"])
        registry.registered(held)
        #expect(registry.killed("a", at: 0) == "house")
        // It was on its way when the kill was.
        registry.registered(held)
        registry.killAnswered("a", by: Self.house, at: 10)
        #expect(registry.count(of: Self.house) == 0)
        #expect(registry.app(of: "a", at: 10 + Self.life) == nil)
    }

    @Test func `names that nobody uses take room for a while only`() {
        var registry = SessionRegistry()
        var now: UInt64 = 0
        for number in 0..<100_000 {
            now += 10
            _ = registry.opened(open("s\(number)"), at: now)
            registry.openEnded("s\(number)", at: now)
        }
        // Those of 30 s, and as many again until they are swept.
        #expect(registry.names.reduce(0) { count, _ in count + 1 } <= 2 * 3000)
    }

    @Test func `an epoch leads to no session of another app`() {
        var registry = renamed()
        #expect(
            registry.opened(open("lunch", app: "cart", epoch: 7), at: 0) == .admit(session: "lunch")
        )
    }

    @Test func `a new name is checked as any other`() {
        func refusal(_ name: String) -> Refusal.Code? {
            Query.rename(session: "lunch", to: name).refusal?.code
        }
        let longest = String(repeating: "n", count: Limits.nameBytesMax)
        #expect(refusal("dinner") == nil)
        #expect(refusal(String(longest.dropLast())) == nil)
        #expect(refusal(longest) == nil)
        #expect(refusal(longest + "n") == .badRequest)
        for name in ["", "late lunch", "lunch", "a/b"] { #expect(refusal(name) == .badRequest) }
        #expect(Query.kill(session: "late lunch").refusal != nil)
    }
}
