// DismissalTests: a front asks that a child's view go away, and the parent's router decides.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DismissalTests {
    let journal = Journal()
    let stage: FakeStage
    let root: ContainerRouter

    init() async { (stage, root) = await launched(ContainerRouter(journal), journal) }

    /// Delivers a front's request, as `NotedCall.tap` does an event.
    private func dismiss(_ child: (any Routing)?, as name: String = "dismiss") throws {
        let node = try #require((child as? PageRouter)?.node)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        node.receive(.dismiss, empty, NotedCall(name, to: node, journal))
    }

    private func push(_ key: Int) async {
        await root.push(root.photos[key], on: root.pages) { root.page("\(key)") }
    }

    @Test("the numbers are those of keys that no method can have")
    func numbers() {
        #expect(MethodID.dismiss == MethodID(key: "napkin:dismiss()"))
        #expect(MethodID.selectTab == MethodID(key: "napkin:select(tab:)"))
        #expect(MethodID.tabs == MethodID(key: "napkin:present(tabs:)"))
        #expect(MethodID.fronts == MethodID(key: "napkin:present(fronts:)"))
    }

    @Test("R15: a pushed child is detached, with what is above it, before the answer")
    func popsThePushed() async throws {
        for key in 1...3 { await push(key) }
        _ = journal.take()
        try dismiss(root.photos[2].child)
        await journal.wait(for: "dismiss succeeded")
        #expect(stage.batches.last == "unmount 4; unmount 3")
        #expect(journal.lines.last == "dismiss succeeded")
        #expect(root.names == ["1"])
        #expect(root.pages.children.count == 1)
    }

    @Test("R15: a modal child is detached, in a slot or not on a stack")
    func detachesTheModal() async throws {
        await root.attach(root.sheet) { root.page("sheet") }
        try dismiss(root.sheet.child)
        await journal.wait(for: "dismiss succeeded")
        #expect(!root.sheet.isOccupied)
        #expect(stage.batches.last == "unmount 2")
    }

    @Test("what is shown in place is not for a front to dismiss, nor is the root")
    func refusesTheEmbedded() async throws {
        await root.attach(root.left) { root.page("left") }
        try dismiss(root.left.child)
        await journal.wait(
            for: "dismiss failed: refused: page is shown in place, "
                + "and is not for a front to dismiss")
        #expect(root.left.isOccupied)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        root.node.receive(.dismiss, empty, NotedCall("root", to: root.node, journal))
        await journal.wait(
            for: "root failed: refused: page is the root; detach from the session instead")
    }

    @Test("R15: a feature may refuse, and say why")
    func mayRefuse() async throws {
        await push(1)
        root.refusal = RemoteFault(.refused, "the photo is not saved")
        try dismiss(root.photos[1].child)
        await journal.wait(for: "dismiss failed: refused: the photo is not saved")
        #expect(root.names == ["1"])
        root.refusal = nil
        try dismiss(root.photos[1].child, as: "again")
        await journal.wait(for: "again succeeded")
        #expect(root.names == [])
    }

    @Test("R15: two back gestures detach once; the second finds the view on its way out")
    func detachesOnce() async throws {
        let latch = Latch()
        let page = PageRouter(
            Probe("page", journal: journal, onResign: { _ in await latch.wait() }))
        await root.push(root.left, on: root.pages) { page }
        try dismiss(page, as: "first")
        await journal.wait(for: "page resigns true")
        try dismiss(page, as: "second")
        await journal.wait(for: "second failed: gone: page is not mounted")
        latch.open()
        await journal.wait(for: "first succeeded")
        #expect(journal.count(of: "page resigns true") == 1)
        #expect(stage.batches.last == "unmount 2")
    }

    @Test("R15: a back gesture that waits while the daemon detaches finds it done")
    func crosses() async throws {
        let (root, journal, latch) = (self.root, self.journal, Latch())
        await push(1)
        let page = try #require(root.photos[1].child)
        // The router is at something else when both come, the daemon's own first.
        let busy = dispatch { await root.transition { await latch.wait() } }
        let detach = dispatch { await root.popToRoot(root.pages) }
        try dismiss(page)
        latch.open()
        await busy.value
        await detach.value
        await journal.wait(for: "dismiss succeeded")
        #expect(journal.count(of: "1 resigned") == 1)
        #expect(stage.batches.dropFirst(2) == ["unmount 2"])
    }

    @Test("R15: the daemon's own detach that waits while a back gesture is done finds it done")
    func crossesTheOtherWay() async throws {
        let (root, journal, latch) = (self.root, self.journal, Latch())
        await push(1)
        let page = try #require(root.photos[1].child)
        let busy = dispatch { await root.transition { await latch.wait() } }
        try dismiss(page)
        let detach = dispatch { await root.pop(root.photos[1], off: root.pages) }
        latch.open()
        await busy.value
        await detach.value
        await journal.wait(for: "dismiss succeeded")
        #expect(journal.count(of: "1 resigned") == 1)
        #expect(stage.batches.dropFirst(2) == ["unmount 2"])
        #expect(root.children.isEmpty)
    }

    @Test("a headless router's pushed page is dismissed by the headless router")
    func looksThroughHeadlessRouters() async throws {
        let silent = SilentRouter(interactor: Probe("silent", journal: journal))
        try await root.attachChild(silent)
        await silent.push(silent.page, on: silent.pages) { root.page("page") }
        try dismiss(silent.page.child)
        await journal.wait(for: "dismiss succeeded")
        #expect(silent.children.isEmpty)
        #expect(root.children.count == 1)
    }
}
