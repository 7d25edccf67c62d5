// DisconnectTests: what becomes of events when their connection ends.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// The codes with which these calls end.
    private func codes(
        _ calls: [Task<RemoteFault?, Never>]
    ) async -> [RemoteFault.Code?] {
        var codes: [RemoteFault.Code?] = []
        for call in calls { codes.append(await call.value?.code) }
        return codes
    }

    private func calls(
        _ count: Int, to panel: any PanelPresentableListener
    ) -> [Task<RemoteFault?, Never>] {
        (0..<count).map { number in
            Task.immediate { await fault { try await panel.double(number) } }
        }
    }

    @Test func `before the attachment nothing is sent, and no credit is used`() async throws {
        let setup = await SessionSetup()
        let viewer = try setup.connect()
        let early = calls(2 * Limits.eventWindow, to: viewer.panel(1))
        #expect(await codes(early).allSatisfy { $0 == .notExecuted })
        await viewer.waitForSnapshot()
        #expect(try await viewer.panel(1).double(1) == 2)
        await setup.end()
    }

    @Test func `a session that ends says why, and its events are not lost in silence`()
        async throws
    {
        let setup = await SessionSetup()
        await setup.root.interactor.teach("wait") { _ in
            await untilCancelled()
            throw CancellationError()
        }
        let viewer = try await setup.attach()
        let panel = viewer.panel(1)
        let wait = Task.immediate { await fault { try await panel.act("wait") } }
        #expect(try await panel.double(1) == 2)
        await setup.end()
        #expect(await wait.value?.code == .unknown)
        await viewer.waitForEnd()
        #expect(viewer.lines.last == "session ended: the test is over")
        #expect(setup.session.fronts.isEmpty)
        #expect(setup.session.nodeCount == 0)
    }
}
