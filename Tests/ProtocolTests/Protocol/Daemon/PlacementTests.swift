// PlacementTests: which of an app's workers a session has, and what these are called.

import NapkinProtocol
import Testing

struct PlacementTests {
    private static let life = UInt64(Limits.nameReservationSeconds) * 1000

    private func open(_ session: String, epoch: UInt32? = nil) -> Open {
        Open(app: "house", session: session, epoch: epoch)
    }

    private func worker(_ number: Int) -> WorkerID { WorkerID(app: "house", number: number) }

    private func register(_ sessions: String..., renamed: [Renaming] = []) -> Register {
        Register(app: "house", pid: 1, socket: "/s", sessions: sessions, renamed: renamed)
    }

    @Test func `each new session gets the worker with the fewest, and keeps it`() {
        var registry = SessionRegistry()
        for name in ["a", "b", "c", "d", "e"] {
            #expect(registry.opened(open(name), at: 0, among: [1, 2]) == .admit(session: name))
        }
        let numbers = ["a", "b", "c", "d", "e"].map { registry.worker(of: $0, at: 0)?.number }
        #expect(numbers == [1, 2, 1, 2, 1])
        // One that is known stays, whoever may have new ones.
        #expect(registry.opened(open("b"), at: 0, among: [7]) == .admit(session: "b"))
        #expect(registry.worker(of: "b", at: 0) == worker(2))
        // Where sessions have ended there is room.
        #expect(registry.killed("a", at: 0) == "house")
        #expect(registry.killed("c", at: 0) == "house")
        _ = registry.opened(open("f"), at: 0, among: [1, 2])
        #expect(registry.worker(of: "f", at: 0) == worker(1))
    }

    @Test func `another app's sessions do not count`() {
        var registry = SessionRegistry()
        _ = registry.opened(Open(app: "cart", session: "a"), at: 0, among: [1, 2])
        _ = registry.opened(open("b"), at: 0, among: [1, 2])
        #expect(registry.worker(of: "b", at: 0) == worker(1))
    }

    @Test func `where no worker may have another session, only known ones are admitted`() {
        var registry = SessionRegistry()
        #expect(registry.opened(open("a"), at: 0, among: []) == .refuseFull)
        #expect(registry.app(of: "a", at: 0) == nil)
        _ = registry.opened(open("a"), at: 0, among: [3])
        #expect(registry.opened(open("a"), at: 0, among: []) == .admit(session: "a"))
        let joining = Open(app: "house", session: "b", creates: false)
        #expect(registry.opened(joining, at: 0, among: []) == .refuseUnknown)
    }

    @Test func `a renamed session keeps its worker, also for the next napkind`() {
        var registry = SessionRegistry()
        _ = registry.opened(open("lunch"), at: 0, among: [2])
        registry.registered(register("lunch"), by: 2)
        #expect(registry.renameRequested("lunch", to: "dinner", at: 0) == .tell(app: "house"))
        // What the worker said before it was told.
        registry.registered(register("lunch"), by: 2)
        registry.renameAnswered(Renaming(session: "dinner", epoch: 7))
        #expect(registry.worker(of: "dinner", at: 0) == worker(2))
        #expect(registry.held(by: worker(2)) == ["dinner"])
        var next = SessionRegistry()
        let renamed = [Renaming(session: "dinner", epoch: 7)]
        next.registered(register("dinner", renamed: renamed), by: 2)
        next.registered(register("lunch"), by: 1)
        #expect(
            next.opened(open("lunch", epoch: 7), at: 0, among: [1]) == .admit(session: "dinner"))
        #expect(next.worker(of: "dinner", at: 0) == worker(2))
        #expect(next.worker(of: "lunch", at: 0) == worker(1))
        #expect(next.count(of: worker(1)) == 1 && next.count(of: worker(2)) == 1)
    }

    @Test func `what a worker says of a session that it has ended is void for that worker only`() {
        var registry = SessionRegistry()
        registry.registered(register("a"), by: 1)
        #expect(registry.killed("a", at: 0) == "house")
        // A front has opened the name anew, and another worker holds it before the first answers.
        _ = registry.opened(open("a"), at: 0, among: [2])
        registry.registered(register("a"), by: 2)
        registry.openEnded("a", at: 0)
        registry.killAnswered("a", by: worker(1), at: 0)
        #expect(registry.worker(of: "a", at: Self.life * 2) == worker(2))
        registry.killAnswered("a", by: worker(2), at: 0)
        #expect(registry.worker(of: "a", at: Self.life) == nil)
    }

    @Test(arguments: [-1, 0, 1]) func `a worker is unused once none of its names is known`(
        offset: Int
    ) {
        var registry = SessionRegistry()
        #expect(registry.isUnused(worker(1), at: 0))
        _ = registry.opened(open("a"), at: 0, among: [1])
        #expect(!registry.isUnused(worker(1), at: Self.life * 9))
        registry.openEnded("a", at: 100)
        let then = (100 + Self.life).advanced(by: offset)
        #expect(registry.isUnused(worker(1), at: then) == (offset >= 0))
        registry.registered(register("a"), by: 1)
        #expect(!registry.isUnused(worker(1), at: Self.life * 9))
    }

    @Test func `a worker that has ended for good leaves nothing`() {
        var registry = SessionRegistry()
        registry.registered(register("b"), by: 2)
        let before = registry
        _ = registry.opened(open("a"), at: 0, among: [1])
        registry.registered(register("a", renamed: [Renaming(session: "a", epoch: 5)]), by: 1)
        registry.workerRemoved(worker(1))
        #expect(registry == before)
    }

    // MARK: - Names of workers

    @Test func `a worker's name is read as it is written, and nothing else is one`() {
        for number in [0, 1, 64, Isolation.sessionsMax] {
            let id = WorkerID(app: "größe.2", number: number)
            #expect(WorkerID("\(id)") == id)
            #expect(WorkerID(fileName: id.fileName) == id)
        }
        #expect(worker(0).fileName == "house" && worker(3).fileName == "house~3")
        #expect("\(worker(0))" == "house~0")
        let wrong = [
            "", "house", "~", "house~", "house~-1", "house~+1", "house~01", "house~1001",
            "house~99999999999999999999", "house~1x", "house~\u{0661}",
        ]
        for text in wrong { #expect(WorkerID(text) == nil, "\(text)") }
        #expect(WorkerID(fileName: "house~0") == nil)
        #expect(Query.sessions(app: "house~2").refusal == nil)
        #expect(Query.sessions(app: "house~2x").refusal != nil)
        #expect(Query.schema(app: "house~2").refusal != nil)
        #expect(Open(app: "house~2").refusal != nil)
    }
}
