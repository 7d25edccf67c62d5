// TeardownTests: what is left when a subtree goes.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TeardownTests {
    let journal = Journal()
    let stage: FakeStage
    let root: RootRouter

    init() async { (stage, root) = await launched(RootRouter(journal), journal) }

    /// A page with a bound task that notes its end.
    private func busyPage(_ name: String) -> PageRouter {
        let journal = self.journal
        return PageRouter(
            Probe(
                name, journal: journal,
                onActive: { probe in
                    probe.task {
                        await untilCancelled()
                        journal.note("\(name) drained")
                    }
                }))
    }

    @Test("R7: detach cascades from the parent down, and its tasks end last")
    func cascades() async {
        let parent = busyPage("parent")
        let child = busyPage("child")
        await root.attach(root.left) { parent }
        await parent.attach(parent.left) { child }
        _ = journal.take()
        await root.detach(root.left)
        #expect(
            journal.lines.filter { $0 != "parent drained" } == [
                "unmount 2", "parent resigns true", "parent resigned", "child resigns true",
                "child resigned", "child drained",
            ])
        #expect(journal.count(of: "parent drained") == 1)
        #expect(await parent.interactor.isActive == false)
        #expect(await child.interactor.isActive == false)
    }

    @Test("R7: a child attached while its parent goes is not left active")
    func attachesTooLate() async {
        let latch = Latch()
        let parent = PageRouter("parent", journal)
        let slow = PageRouter(
            Probe("slow", journal: journal, onResign: { _ in await latch.wait() }))
        let late = PageRouter("late", journal)
        await root.attach(root.left) { parent }
        await parent.attach(parent.left) { slow }
        let detach = dispatch { await root.detach(root.left) }
        await journal.wait(for: "slow resigns true")
        let attach = dispatch { await parent.attach(parent.right) { late } }
        await letOthersRun()
        latch.open()
        await detach.value
        await attach.value
        #expect(await parent.interactor.isActive == false)
        #expect(await late.interactor.isActive == false)
        #expect(!late.node.isMounted)
    }

    @Test("R7: a parent that goes while a child is attached takes the child with it")
    func goesDuringAttach() async {
        let latch = Latch()
        let parent = PageRouter("parent", journal)
        let slow = PageRouter(
            Probe("slow", journal: journal, onActive: { _ in await latch.wait() }))
        await root.attach(root.left) { parent }
        let attach = dispatch { await parent.attach(parent.left) { slow } }
        await journal.wait(for: "slow active true")
        let detach = dispatch { await root.detach(root.left) }
        await letOthersRun()
        latch.open()
        await attach.value
        await detach.value
        #expect(await parent.interactor.isActive == false)
        #expect(await slow.interactor.isActive == false)
        #expect(!slow.node.isMounted)
        #expect(stage.batches == ["mount 1", "mount 2 under 1 in left", "unmount 2"])
    }

    @Test("R7: children that come after the one whose activation ends the parent stay inactive")
    func stopsActivating() async {
        let root = self.root
        let parent = PageRouter("parent", journal)
        let first = PageRouter(
            Probe("first", journal: journal, onActive: { _ in await Self.close(root) }))
        let second = PageRouter("second", journal)
        // Nothing above them is active yet: they are activated with it, one after the other.
        await parent.attach(parent.left) { first }
        await parent.attach(parent.right) { second }
        await root.attach(root.left) { parent }
        #expect(journal.count(of: "first active true") == 1)
        #expect(!journal.lines.contains("second active true"))
        for page in [parent, first, second] { #expect(await page.interactor.isActive == false) }
        #expect(!root.left.isOccupied)
    }

    @Test("E5: a bound task that waits for the parent's routing does not hold up its own detach")
    func doesNotWaitForItself() async {
        let root = self.root
        let latch = Latch()
        // The page's task attaches a child, whose activation asks the root for a route, while the
        // root is detaching the page: each would wait for the other.
        let child = PageRouter(
            Probe(
                "child", journal: journal,
                onActive: { _ in
                    await latch.wait()
                    await Self.open(root)
                }))
        let page = PageRouter("page", journal)
        await root.attach(root.left) { page }
        await page.interactor.task { @MainActor in
            await page.attach(page.left) { child }
        }
        await journal.wait(for: "child active true")
        let detach = dispatch { await root.detach(root.left) }
        latch.open()
        await detach.value
        #expect(await child.interactor.isActive == false)
        #expect(!root.left.isOccupied)
    }

    private static func close(_ root: RootRouter) async { await root.detach(root.left) }

    private static func open(_ root: RootRouter) async {
        await root.attach(root.right) { PageRouter("other") }
    }

    @Test("R14: a permanent child attached in didLoad is torn down with its parent")
    func takesPermanentChildren() async {
        let child = PageRouter("child", journal)
        let parent = PageRouter("parent", journal)
        parent.onLoad = { await $0.attach($0.left) { child } }
        await root.attach(root.left) { parent }
        #expect(stage.batches.last == "mount 2 under 1 in left; mount 3 under 2 in left")
        await root.detach(root.left)
        #expect(stage.batches.last == "unmount 2")
        #expect(await child.interactor.isActive == false)
        #expect(!child.node.isMounted)
    }

    @Test("L13: nothing is presented after deactivate returns")
    func presentsNothingAfterwards() async {
        let page = PageRouter("page", journal)
        await root.attach(root.left) { page }
        await page.view.presenter.present(text: "shown")
        await page.view.presenter.flash("shown")
        #expect(journal.lines.suffix(2) == ["state of 2", "effect of 2"])
        await root.detach(root.left)
        _ = journal.take()
        await page.view.presenter.present(text: "late")
        await page.view.presenter.flash("late")
        #expect(journal.lines == [])
        #expect(page.node.states.isEmpty)
    }

    @Test("E3: a handler in flight is cancelled when its node is detached")
    func cancelsHandlers() async {
        let page = PageRouter("page", journal)
        await page.interactor.onTap { [journal] _ in
            journal.note("in flight")
            await untilCancelled()
        }
        await root.attach(root.left) { page }
        NotedCall.tap(page.node, journal)
        #expect(journal.lines.last == "in flight")
        await root.detach(root.left)
        await journal.wait(for: "tap succeeded")
        #expect(page.node.callCount == 0)
    }

    @Test("W6: a detached subtree is released, and so is a session that has been shut down")
    func releasesEverything() async {
        weak var probe: Probe?
        weak var router: PageRouter?
        weak var node: FeatureNode?
        do {
            let parent = busyPage("parent")
            parent.onLoad = { await $0.attach($0.left) { PageRouter("child") } }
            await root.attach(root.left) { parent }
            (probe, router, node) = (parent.interactor, parent, parent.node)
        }
        #expect(probe != nil)
        await root.detach(root.left)
        await letOthersRun()
        #expect(probe == nil)
        #expect(router == nil)
        #expect(node == nil)
    }

    @Test("shutting down takes everything, once")
    func shutsDown() async {
        await root.attach(root.left) { busyPage("page") }
        await root.shutDown()
        await root.shutDown()
        #expect(stage.batches.last == "unmount 1")
        #expect(stage.batches.count == 3)
        #expect(await root.interactor.isActive == false)
        #expect(journal.count(of: "page resigned") == 1)
    }
}
