// ChildStackTests: children on top of one another.

import NapkinCore
import NapkinTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ChildStackTests {
    let journal = Journal()
    let stage: FakeStage
    let root: ContainerRouter

    init() async { (stage, root) = await launched(ContainerRouter(journal), journal) }

    private var stacked: [String] { ContainerRouter.names(root.pages.children) }

    private func push(_ key: Int) async {
        await root.push(root.photos[key], on: root.pages) { root.page("\(key)") }
    }

    private func pushThree() async {
        for key in 1...3 { await push(key) }
    }

    @Test("pushed children are shown pushed, whatever their slots say")
    func pushes() async throws {
        await root.push(root.left, on: root.pages) { root.page("a") }
        #expect(root.left.presentation == .embed)
        #expect((root.pages.top as? PageRouter)?.node.presentation == .push)
        #expect(stage.batches.last == "mount 2 under 1 in left")
    }

    @Test("children below the top stay active")
    func keepsThemActive() async {
        await pushThree()
        #expect(stacked == ["1", "2", "3"])
        for child in root.pages.children { #expect(await child.interactable.isActive) }
        #expect(journal.lines.allSatisfy { !$0.contains("resigns") })
    }

    @Test("R10: a double tap pushes once")
    func pushesOnce() async {
        async let first: Void = push(1)
        async let second: Void = push(1)
        _ = await (first, second)
        await push(2)
        await push(1)
        #expect(stacked == ["1", "2"])
        #expect(journal.count(of: "1 built") == 1)
    }

    @Test("R10: a page that is pushed while it is built is in the stack once")
    func pushesOnceFromWithin() async {
        await root.push(root.photos[1], on: root.pages) {
            await push(1)
            return root.page("late")
        }
        #expect(stacked == ["1"] && root.names == ["1"])
        await root.pop(root.pages)
        #expect(root.pages.isEmpty && root.children.isEmpty)
    }

    @Test("pop takes the top; on an empty stack it does nothing")
    func pops() async {
        await pushThree()
        await root.pop(root.pages)
        #expect(stacked == ["1", "2"])
        await root.pop(root.pages)
        await root.pop(root.pages)
        await root.pop(root.pages)
        #expect(root.pages.isEmpty)
        #expect(root.pages.top == nil)
        #expect(root.children.isEmpty)
    }

    @Test("popping a slot takes what is above it, too, topmost first, in one batch")
    func popsThrough() async {
        await pushThree()
        _ = journal.take()
        await root.pop(root.photos[2], off: root.pages)
        #expect(stacked == ["1"])
        #expect(stage.batches.last == "unmount 4; unmount 3")
        let resigned = journal.lines.filter { $0.hasSuffix("resigned") }
        #expect(resigned == ["3 resigned", "2 resigned"])
        await root.pop(root.photos[2], off: root.pages)
        #expect(stacked == ["1"])
    }

    @Test("pop to root is one batch")
    func popsAll() async {
        await pushThree()
        await root.popToRoot(root.pages)
        #expect(root.pages.isEmpty)
        #expect(stage.batches.last == "unmount 4; unmount 3; unmount 2")
    }

    @Test("replacing the top is one batch; of an empty stack it is a push")
    func replaces() async {
        let replace = { (key: Int) in
            await root.replaceTop(of: root.pages, with: root.photos[key]) { root.page("\(key)") }
        }
        await replace(1)
        await push(2)
        await replace(3)
        #expect(stacked == ["1", "3"])
        #expect(stage.batches.last == "unmount 3; mount 4 under 1 in photos")
        await replace(1)
        #expect(stacked == ["1", "3"])
    }

    @Test("R12: a child that pushes while it is pushed comes below what it pushes")
    func pushesFromWithin() async {
        let root = self.root
        let probe = Probe(
            "lower", journal: journal,
            onActive: { _ in await Self.push(2, on: root) })
        await root.push(root.left, on: root.pages) { PageRouter(probe) }
        #expect(stacked == ["lower", "2"])
        #expect(root.names == ["lower", "2"])
    }

    private static func push(_ key: Int, on root: ContainerRouter) async {
        await root.push(root.photos[key], on: root.pages) { root.page("\(key)") }
    }

    @Test("R9: what is attached elsewhere is not pushed, and does not replace the top")
    func refusesStrangers() async throws {
        let other = PageRouter("other", journal)
        try await root.attachChild(other)
        await push(1)
        await root.push(root.left, on: root.pages) { other }
        await root.replaceTop(of: root.pages, with: root.left) { other }
        #expect(stacked == ["1"])
        #expect(!root.left.isOccupied)
        #expect(root.names == ["other", "1"])
    }

    @Test("a child that is detached by its slot leaves the stack")
    func followsTheSlot() async {
        await pushThree()
        await root.detach(root.photos[2])
        #expect(stacked == ["1", "3"])
        await push(2)
        #expect(stacked == ["1", "3", "2"])
    }
}
