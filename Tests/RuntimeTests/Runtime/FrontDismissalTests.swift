// FrontDismissalTests: a front's own back gesture, over real sockets.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private func push(_ setup: SessionSetup) async -> PanelRouter {
        let panel = PanelRouter()
        await setup.root.attach(setup.root.right) { panel }
        return panel
    }

    @Test func `R15: a pushed child is dismissed for every front, before the answer`()
        async throws
    {
        let setup = await SessionSetup()
        let panel = await push(setup)
        let viewer = try await setup.attach()
        let other = try await setup.attach()
        try await viewer.port(2).dismiss()
        #expect(viewer.lines.last == "unmount 2")
        #expect(!setup.root.right.isOccupied)
        #expect(await panel.interactor.isActive == false)
        await other.journal.wait(for: "unmount 2")
        // It is gone already, which is what its front wants, too.
        try await other.port(2).dismiss()
        #expect(other.journal.count(of: "unmount 2") == 1)
        await setup.end()
    }

    @Test func `R15: a back gesture and the worker's own detach may cross, and both end well`()
        async throws
    {
        let setup = await SessionSetup()
        for _ in 0..<20 {
            _ = await push(setup)
            let viewer = try await setup.attach()
            let node = try #require(setup.root.right.child?.core.node?.id)
            let gesture = Task.immediate { try await viewer.port(node).dismiss() }
            let detach = Task.immediate { await setup.root.detach(setup.root.right) }
            let again = Task.immediate { try await viewer.port(node).dismiss() }
            await detach.value
            try await gesture.value
            try await again.value
            #expect(viewer.journal.count(of: "unmount \(node)") == 1)
            #expect(setup.root.children.isEmpty)
            viewer.front.detach()
            await viewer.waitForEnd()
        }
        await setup.end()
    }

    @Test func `R15: a worker that detaches first answers a late gesture, once`() async throws {
        let setup = await SessionSetup()
        _ = await push(setup)
        let viewer = try await setup.attach()
        // Sent before the front has been told, received after the detach has begun.
        let gesture = Task.immediate { try await viewer.port(2).dismiss() }
        await setup.root.detach(setup.root.right)
        try await gesture.value
        #expect(viewer.lines.count { $0 == "unmount 2" } == 1)
        #expect(viewer.front.outstandingEvents == 0)
        #expect(setup.session.runningHandlers == 0)
        await setup.end()
    }

    @Test func `what is embedded stays, and so does what its parent or the front may not let go`()
        async throws
    {
        let setup = await SessionSetup()
        _ = await setup.attachLeft()
        _ = await push(setup)
        let viewer = try await setup.attach()
        let embedded = await fault { try await viewer.port(2).dismiss() }
        #expect(embedded?.code == .refused)
        #expect(await fault { try await viewer.port(1).dismiss() }?.code == .refused)
        setup.root.refusal = RemoteFault(.refused, "the floor is wet")
        let refused = await fault { try await viewer.port(3).dismiss() }
        #expect(refused == RemoteFault(.refused, "the floor is wet"))
        setup.root.refusal = nil
        let reader = try await setup.attach(Attach(isReadOnly: true))
        #expect(await fault { try await reader.port(3).dismiss() }?.code == .refused)
        #expect(setup.root.children.count == 2)
        try await viewer.port(3).dismiss()
        #expect(setup.root.children.count == 1)
        await setup.end()
    }

    @Test func `a view without tabs has none to select`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let none = await fault { try await viewer.port(1).select(tab: "menu") }
        #expect(none == RemoteFault(.refused, "room has no tab menu; it has none"))
        await setup.end()
    }
}
