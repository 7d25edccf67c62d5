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
