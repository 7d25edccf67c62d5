// SessionRegistryTests: whose a session is, and how one is found that has another name.

import NapkinProtocol
import Testing

struct SessionRegistryTests {
    private func open(
        _ session: String?, app: String = "house", creates: Bool = true, epoch: UInt32? = nil
    ) -> Open { Open(app: app, session: session, creates: creates, epoch: epoch) }

    /// A session `lunch` that is called `dinner` now, and whose tree has the epoch 7.
    private func renamed() -> SessionRegistry {
        var registry = SessionRegistry()
        #expect(registry.opened(open("lunch")) == .admit(session: "lunch"))
        #expect(registry.renameRequested("lunch", to: "dinner") == .tell(app: "house"))
        registry.renameAnswered(Renaming(session: "dinner", epoch: 7))
        return registry
    }

    @Test func `a session is known from its first open until it is killed`() {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a", creates: false)) == .refuseUnknown)
        #expect(registry.opened(open("a")) == .admit(session: "a"))
        #expect(registry.opened(open("a", creates: false)) == .admit(session: "a"))
        #expect(registry.opened(open("a", app: "cart")) == .refuseAnotherApp("house"))
        #expect(registry.opened(open(nil)) == .admit(session: "house"))
        #expect(registry.killed("a") == "house")
        #expect(registry.killed("a") == nil)
        #expect(registry.opened(open("a", app: "cart")) == .admit(session: "a"))
    }

    @Test func `a front that returns finds the session under its new name`() {
        var registry = renamed()
        #expect(registry.opened(open("lunch", epoch: 7)) == .admit(session: "dinner"))
        #expect(
            registry.opened(open("lunch", creates: false, epoch: 7)) == .admit(session: "dinner"))
        #expect(registry.app(of: "lunch") == nil)
    }

    @Test func `the former name is free, and its next session is another one`() {
        var registry = renamed()
        #expect(registry.opened(open("lunch", creates: false)) == .refuseUnknown)
        #expect(registry.opened(open("lunch")) == .admit(session: "lunch"))
        #expect(registry.opened(open("lunch", epoch: 8)) == .admit(session: "lunch"))
        #expect(registry.opened(open("lunch", epoch: 7)) == .admit(session: "dinner"))
    }

    @Test func `epochs follow a session over all of its names and all of its trees`() {
        var registry = renamed()
        // Its worker has been started again; the tree is another one.
        #expect(registry.renameRequested("dinner", to: "supper") == .tell(app: "house"))
        registry.renameAnswered(Renaming(session: "supper", epoch: 9))
        for epoch: UInt32 in [7, 9] {
            #expect(registry.opened(open("lunch", epoch: epoch)) == .admit(session: "supper"))
        }
        #expect(registry.killed("supper") == "house")
        #expect(registry.opened(open("lunch", creates: false, epoch: 7)) == .refuseUnknown)
    }

    @Test func `a name that is taken is refused, whoever has it`() {
        var registry = renamed()
        #expect(registry.opened(open("cart", app: "cart")) == .admit(session: "cart"))
        #expect(registry.renameRequested("dinner", to: "cart") == .refuseTaken(app: "cart"))
        #expect(registry.renameRequested("lunch", to: "brunch") == .refuseUnknown)
        #expect(registry.opened(open("dinner", creates: false)) == .admit(session: "dinner"))
    }

    @Test func `what is opened while the worker is asked belongs to the new names`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"))
        #expect(registry.renameRequested("lunch", to: "dinner") == .tell(app: "house"))
        #expect(registry.opened(open("dinner", creates: false)) == .admit(session: "dinner"))
        #expect(registry.opened(open("lunch", creates: false)) == .refuseUnknown)
    }

    @Test func `a rename that fails leaves everything as it was`() {
        var registry = renamed()
        #expect(registry.renameRequested("dinner", to: "supper") == .tell(app: "house"))
        registry.renameFailed("dinner", to: "supper")
        #expect(registry == renamed())
        // Unless somebody has taken the name meanwhile: then both stay.
        #expect(registry.renameRequested("dinner", to: "supper") == .tell(app: "house"))
        _ = registry.opened(open("dinner"))
        registry.renameFailed("dinner", to: "supper")
        #expect(registry.app(of: "supper") == "house")
        #expect(registry.app(of: "dinner") == "house")
    }

    @Test func `a session that is killed while it is renamed leads nowhere`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"))
        _ = registry.renameRequested("lunch", to: "dinner")
        #expect(registry.killed("dinner") == "house")
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
            registry.opened(open("lunch", creates: false, epoch: 7)) == .admit(session: "dinner"))
        #expect(registry.opened(open("house", creates: false)) == .admit(session: "house"))
        #expect(registry.opened(open("dinner", app: "cart")) == .refuseAnotherApp("house"))
    }

    @Test func `an epoch leads to no session of another app`() {
        var registry = renamed()
        #expect(
            registry.opened(open("lunch", app: "cart", epoch: 7)) == .admit(session: "lunch"))
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
