// RoutingTests: one parent and its children, one change at a time.

import Glibc
import NapkinTesting
import TestSupport
import Testing

@testable import NapkinCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct RoutingTests {
    let journal = Journal()
    let stage: FakeStage
    let root: RootRouter

    init() {
        stage = FakeStage(journal)
        root = RootRouter(journal)
    }

    @Test("R2: load calls didLoad once, ever, across attaching again")
    func loadsOnce() async throws {
        await root.launch(on: stage)
        let page = PageRouter("page", journal)
        for _ in 0..<2 {
            try await root.attachChild(page)
            await root.detachChild(page)
        }
        await page.load()
        #expect(journal.count(of: "page loads") == 1)
        #expect(journal.count(of: "page active true") == 2)
        #expect(stage.batches.count == 5)
    }

    @Test("R3: loaded() waits in the middle of didLoad, and returns at once afterwards")
    func waitsForLoading() async {
        let latch = Latch()
        let journal = self.journal
        let page = PageRouter("page", journal)
        page.onLoad = { _ in await latch.wait() }
        let early = Task { @MainActor in
            await page.loaded()
            journal.note("early is told")
        }
        let loading = Task { @MainActor in await page.load() }
        await journal.wait(for: "page loads")
        let middle = Task { @MainActor in
            await page.loaded()
            journal.note("middle is told")
        }
        await letOthersRun()
        #expect(journal.lines == ["page loads"])
        latch.open()
        await early.value
        await middle.value
        await loading.value
        await page.loaded()
    }

    @Test("R3: loaded() does not wait for its own caller, and a second load() waits for the first")
    func waitsForNobodyInVain() async {
        let latch = Latch()
        let journal = self.journal
        let page = PageRouter("page", journal)
        page.onLoad = { page in
            await page.loaded()
            journal.note("in the middle")
            await latch.wait()
        }
        let first = dispatch { await page.load() }
        let second = dispatch {
            await page.load()
            journal.note("second is told")
        }
        await letOthersRun()
        #expect(journal.lines == ["page loads", "in the middle"])
        latch.open()
        await first.value
        await second.value
        #expect(journal.lines.last == "second is told")
    }

    @Test("R4: attach appends, activates, loads, then mounts")
    func attachesInOrder() async {
        await root.launch(on: stage)
        _ = journal.take()
        let page = PageRouter("page", journal)
        page.onLoad = { [root, journal] page in
            journal.note("\(root.children.count) child, mounted \(page.node.isMounted)")
        }
        await root.attach(root.left) { page }
        #expect(
            journal.lines == [
                "page active true", "page loads", "1 child, mounted false",
                "mount 2 under 1 in left",
            ])
    }

    @Test("R5: detach takes the view away, deactivates, then removes")
    func detachesInOrder() async {
        await root.launch(on: stage)
        let journal = self.journal
        let page = PageRouter(
            Probe("page", journal: journal) { _ in
            } onResign: { [root] _ in
                journal.note("\(await root.children.count) child")
            })
        await root.attach(root.left) { page }
        _ = journal.take()
        await root.detach(root.left)
        #expect(journal.lines == ["unmount 2", "page resigns true", "1 child", "page resigned"])
        #expect(root.children.isEmpty)
        #expect(!root.left.isOccupied)
    }

    @Test func `who attaches and detaches in a task does not leave the main actor meanwhile`()
        async throws
    {
        await root.launch(on: stage)
        let page = PageRouter("page", journal)
        let routing = Task.immediate {
            try await root.attachChild(page)
            journal.note("attached")
            await root.detachChild(page)
            journal.note("detached")
        }
        #expect(journal.count(of: "attached") == 1 && journal.count(of: "detached") == 1)
        try await routing.value
    }

    @Test("R6: detaching a stranger does nothing, and the other parent's child stays active")
    func leavesStrangersAlone() async {
        await root.launch(on: stage)
        let other = PageRouter("other", journal)
        let page = PageRouter("page", journal)
        await root.attach(root.left) { other }
        await other.attach(other.left) { page }
        await root.detachChild(page)
        // Nor by a slot that is not this router's.
        await root.detach(other.left)
        #expect(await page.interactor.isActive)
        #expect(page.node.isMounted)
        #expect(other.children.count == 1)
        #expect(other.left.child === page)
    }

    @Test("R6: detaching a stranger is reported, by its type")
    func reportsStrangers() async {
        await #expect(processExitsWith: .exitCode(0)) { @MainActor in
            let journal = Journal()
            Anomaly.onReport { journal.note("\($0)") }
            let root = RootRouter()
            await root.detachChild(PageRouter("page"))
            let wanted = #"detachOfStranger("PageRouter")"#
            exit(journal.lines == [wanted] ? 0 : 1)
        }
    }

    @Test("R8: attaching under an inactive parent waits for the parent")
    func defersActivation() async {
        let page = PageRouter("page", journal)
        await root.attach(root.left) { page }
        #expect(await page.interactor.isActive == false)
        #expect(!page.node.isMounted)
        _ = journal.take()
        await root.launch(on: stage)
        #expect(
            journal.lines == [
                "root active true", "page active true", "mount 1; mount 2 under 1 in left",
            ])
    }

    @Test("R9: attaching twice throws")
    func refusesASecondParent() async throws {
        await root.launch(on: stage)
        let page = PageRouter("page", journal)
        try await root.attachChild(page)
        await #expect(throws: RoutingError(code: .alreadyAttached, router: "PageRouter")) {
            try await root.attachChild(page)
        }
        await #expect(throws: RoutingError(code: .alreadyAttached, router: "RootRouter")) {
            try await page.attachChild(root)
        }
        #expect(root.children.count == 1)
    }

    @Test("R9: a slot refuses a router that is attached elsewhere, says so, and stays free")
    func refusesAStranger() async throws {
        await root.launch(on: stage)
        let page = PageRouter("page", journal)
        await root.attach(root.left) { page }
        await root.attach(root.right) { page }
        #expect(root.left.child === page)
        #expect(!root.right.isOccupied)
        #expect(root.children.count == 1)
        await #expect(processExitsWith: .exitCode(0)) { @MainActor in
            let journal = Journal()
            Anomaly.onReport { journal.note("\($0)") }
            let root = RootRouter()
            let page = PageRouter("page")
            for slot in [root.left, root.right] { await root.attach(slot) { page } }
            let error = RoutingError(code: .alreadyAttached, router: "PageRouter")
            exit(journal.lines == ["\(Anomaly.attachRefused(error))"] ? 0 : 1)
        }
    }

    @Test("R9: detached by hand, a child leaves its slot")
    func leavesItsSlot() async {
        let page = PageRouter("page", journal)
        await root.attach(root.left) { page }
        await root.detachChild(page)
        #expect(!root.left.isOccupied)
    }

    @Test("R10: a slot that is taken while its child is built keeps the child that it has")
    func keepsTheFirst() async {
        await root.launch(on: stage)
        let (first, second) = (PageRouter("first", journal), PageRouter("second", journal))
        await root.attach(root.left) {
            await root.attach(root.left) { first }
            return second
        }
        #expect(root.left.child === first)
        #expect(root.children.count == 1 && root.children.first === first)
        #expect(!journal.lines.contains { $0.hasPrefix("second") })
        await root.detach(root.left)
        #expect(root.children.isEmpty)
    }

    @Test("R12: a child that detaches itself from a listener call gets its reply")
    func repliesToTheDetached() async {
        await root.launch(on: stage)
        let root = self.root
        let page = PageRouter("page", journal)
        await page.interactor.onTap { [journal] _ in
            await root.detach(root.left)
            journal.note("cancelled \(Task.isCancelled)")
        }
        await root.attach(root.left) { page }
        NotedCall.tap(page.node, journal)
        await journal.wait(for: "tap succeeded")
        #expect(journal.lines.contains("cancelled false"))
        #expect(page.node.callCount == 0)
        #expect(root.children.isEmpty)
    }

    @Test("R13: children keep the order of attachment")
    func keepsTheOrder() async throws {
        let pages = (0..<5).map { PageRouter("\($0)", journal) }
        for page in pages { try await root.attachChild(page) }
        await root.detachChild(pages[1])
        try await root.attachChild(pages[1])
        let names = root.children.compactMap { ($0 as? PageRouter)?.interactor.name }
        #expect(names == ["0", "2", "3", "4", "1"])
    }

    @Test("a headless router's pages hang under the nearest page above it")
    func looksThroughHeadlessRouters() async throws {
        await root.launch(on: stage)
        let silent = SilentRouter(interactor: Probe("silent", journal: journal))
        try await root.attachChild(silent)
        await silent.attach(silent.page) { PageRouter("page", journal) }
        #expect(stage.batches.last == "mount 2 under 1 in page")
        await root.detachChild(silent)
        #expect(stage.batches.last == "unmount 2")
    }
}
