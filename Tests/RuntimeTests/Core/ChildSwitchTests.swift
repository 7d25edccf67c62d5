// ChildSwitchTests: exactly one of several children.

import NapkinCore
import NapkinTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ChildSwitchTests {
    let journal = Journal()
    let stage: FakeStage
    let root: ContainerRouter

    init() async { (stage, root) = await launched(ContainerRouter(journal), journal) }

    private func show(_ slot: ChildSlot<Page>, _ name: String) async {
        await root.swap(root.sides, to: slot) { root.page(name) }
    }

    @Test("P6: a swap is one batch, and the former child is gone when it returns")
    func swapsAtOnce() async {
        await show(root.left, "a")
        let former = root.sides.child
        await show(root.right, "b")
        #expect(
            stage.batches == [
                "mount 1", "mount 2 under 1 in left", "unmount 2; mount 3 under 1 in right",
            ])
        #expect(root.names == ["b"])
        #expect(await former?.interactable.isActive == false)
        #expect(root.sides.child === root.right.child)
    }

    @Test("a swap to what is shown builds nothing")
    func staysWhereItIs() async {
        await show(root.left, "a")
        await show(root.left, "again")
        #expect(root.names == ["a"])
        #expect(journal.count(of: "again built") == 0)
    }

    @Test("R11: a storm of swaps ends with one child, the last asked for")
    func survivesAStorm() async {
        let root = self.root
        let storm = (0...100).map { number in
            dispatch {
                let slot = number.isMultiple(of: 2) ? root.left : root.right
                await root.swap(root.sides, to: slot) {
                    await Task.yield()
                    return root.page("\(number)")
                }
            }
        }
        for swap in storm { await swap.value }
        #expect(root.names == ["100"])
        #expect(root.sides.child === root.left.child)
        #expect(!root.right.isOccupied)
        // No front has ever been told of two at a time, or of none after the first.
        #expect(stage.batches.dropFirst(2).allSatisfy { $0.contains("; ") })
        #expect(stage.batches.count == 102)
    }

    @Test("R9: a swap to a router that is attached elsewhere is refused; the former child stays")
    func keepsWhatThereIs() async throws {
        await show(root.left, "a")
        let other = PageRouter("other", journal)
        try await root.attachChild(other)
        await root.swap(root.sides, to: root.right) { other }
        #expect(root.names == ["a", "other"])
        #expect(root.sides.child === root.left.child)
        #expect(await other.interactor.isActive)
    }

    @Test("a swap within a plain transition is one batch, too")
    func staysWhole() async {
        await show(root.left, "a")
        let root = self.root
        await root.attach(root.sheet) {
            await root.swap(root.sides, to: root.right) { root.page("b") }
            return root.page("sheet")
        }
        #expect(
            stage.batches.last
                == "unmount 2; mount 3 under 1 in right; mount 4 under 1 in sheet")
    }

    @Test("detached, by the switch or by hand, it has no child, and can have one again")
    func empties() async throws {
        await show(root.left, "a")
        await root.detach(root.sides)
        #expect(root.sides.child == nil)
        await show(root.left, "b")
        await root.detachChild(try #require(root.sides.child))
        #expect(root.sides.child == nil)
        await show(root.right, "c")
        #expect(root.names == ["c"])
    }
}
