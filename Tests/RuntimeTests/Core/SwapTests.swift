// SwapTests: many changes of one parent's children at a time.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SwapTests {
    let journal = Journal()
    let stage: FakeStage
    let root: RootRouter

    init() async { (stage, root) = await launched(RootRouter(journal), journal) }

    @Test("R10: 100 concurrent requests to attach into one slot make one child")
    func attachesOnce() async {
        let (root, journal) = (self.root, self.journal)
        let requests = (0..<100).map { _ in
            Task.detached { await Self.attach(to: root, journal) }
        }
        for request in requests { await request.value }
        #expect(journal.count(of: "built") == 1)
        #expect(root.children.count == 1)
        #expect(stage.batches == ["mount 1", "mount 2 under 1 in left"])
    }

    private static func attach(to root: RootRouter, _ journal: Journal) async {
        await root.attach(root.left) {
            journal.note("built")
            await Task.yield()
            return PageRouter("page", journal)
        }
    }

    @Test("R10: a detach that is asked for during an attach waits, and undoes it")
    func detachesAfterwards() async {
        let (root, journal, latch) = (self.root, self.journal, Latch())
        let attach = dispatch {
            await root.attach(root.left) {
                await latch.wait()
                return PageRouter("page", journal)
            }
        }
        let detach = dispatch {
            await root.detach(root.left)
            journal.note("detached")
        }
        await letOthersRun()
        #expect(journal.count(of: "detached") == 0)
        latch.open()
        await attach.value
        await detach.value
        #expect(stage.batches == ["mount 1", "mount 2 under 1 in left", "unmount 2"])
        #expect(!root.left.isOccupied)
    }

    @Test("R10: a child that has itself detached while it is attached is not left behind")
    func detachesFromWithin() async {
        let root = self.root
        let probe = Probe(
            "page", journal: journal, onActive: { _ in await root.detach(root.left) })
        await root.attach(root.left) { PageRouter(probe) }
        #expect(await probe.isActive == false)
        #expect(!root.left.isOccupied)
        #expect(root.children.isEmpty)
        #expect(stage.batches == ["mount 1"])
    }

    @Test("R11: a storm of swaps ends with one child, the last asked for")
    func swapsInOrder() async {
        let page = { (name: String) in
            PageRouter(Probe(name, onActive: { _ in await Task.yield() }))
        }
        let swaps = (0..<50).map { number in
            dispatch {
                await root.transition {
                    if number.isMultiple(of: 2) {
                        await root.detach(root.right)
                        await root.attach(root.left) { page("\(number)") }
                    } else {
                        await root.detach(root.left)
                        await root.attach(root.right) { page("\(number)") }
                    }
                }
            }
        }
        for swap in swaps { await swap.value }
        #expect(root.children.count == 1)
        #expect((root.right.child as? PageRouter)?.interactor.name == "49")
        #expect(!root.left.isOccupied)
    }

    @Test("a swap in a transition is one batch")
    func appliesAsAWhole() async {
        await root.attach(root.left) { PageRouter("a", journal) }
        await root.transition {
            await root.detach(root.left)
            await root.attach(root.right) { PageRouter("b", journal) }
        }
        #expect(stage.batches.last == "unmount 2; mount 3 under 1 in right")
    }

    @Test("R15: a back gesture and the parent's own detach may cross")
    func detachesOnce() async {
        let page = PageRouter(
            Probe("page", journal: journal, onResign: { _ in await letOthersRun() }))
        let root = self.root
        await page.interactor.onTap { _ in await root.detach(root.left) }
        await root.attach(root.left) { page }
        NotedCall.tap(page.node, as: "back", journal)
        NotedCall.tap(page.node, as: "again", journal)
        await root.detach(root.left)
        await journal.wait(for: "back succeeded")
        await journal.wait(for: "again failed: gone: page is not mounted")
        #expect(stage.batches == ["mount 1", "mount 2 under 1 in left", "unmount 2"])
        #expect(journal.count(of: "page resigns true") == 1)
        #expect(root.children.isEmpty)
    }

    @Test("a caller that is cancelled while it waits for its turn does not route")
    func leavesTheQueue() async {
        let latch = Latch()
        let root = self.root
        let first = dispatch {
            await root.attach(root.left) {
                await latch.wait()
                return PageRouter("first")
            }
        }
        let second = dispatch { await root.attach(root.right) { PageRouter("second") } }
        second.cancel()
        await second.value
        latch.open()
        await first.value
        #expect(root.left.isOccupied)
        #expect(!root.right.isOccupied)
    }

    @Test("P6: what is attached under a page of an open batch is applied with it")
    func waitsForTheParentsMount() async {
        let left = PageRouter("left", journal)
        await root.transition {
            await root.attach(root.left) { left }
            // Meanwhile another task attaches under `left`, which no front has been told of.
            let below = dispatch { await left.attach(left.left) { PageRouter("below", journal) } }
            await below.value
            await root.attach(root.right) { PageRouter("right", journal) }
        }
        #expect(
            stage.batches == [
                "mount 1",
                "mount 2 under 1 in left; mount 3 under 2 in left; mount 4 under 1 in right",
            ])
    }
}
