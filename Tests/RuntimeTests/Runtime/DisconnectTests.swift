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

    @Test func `what was sent is in doubt, what was not sent was not executed`() async throws {
        let worker = try await RawWorker(window: 2)
        let panel = worker.viewer.panel(1)
        let calls = self.calls(4, to: panel)
        worker.peer.channel.close()
        #expect(await codes(calls) == [.unknown, .unknown, .notExecuted, .notExecuted])
        #expect(await fault { try await panel.double(5) }?.code == .notExecuted)
        #expect(worker.viewer.front.outstandingEvents == 0)
        #expect(!worker.viewer.front.isConnected)
        #expect(worker.viewer.front.takeInDoubt() == 2)
        await worker.viewer.waitForEnd()
        await turn()
        #expect(
            worker.viewer.lines == [
                "attached to raw", "snapshot: ",
                "session ended: the other side closed the connection",
            ])
    }

    @Test func `leaving ends the events of the one who leaves`() async throws {
        let worker = try await RawWorker(window: 1)
        let calls = self.calls(2, to: worker.viewer.panel(1))
        // From inside of a task, as a view does it.
        worker.viewer.front.detach()
        worker.viewer.front.detach()
        #expect(worker.viewer.lines.last == "session ended: closed")
        #expect(await codes(calls) == [.unknown, .notExecuted])
        // What was called before the end of the turn is sent before it.
        let kinds = [await worker.peer.next(), await worker.peer.next()].map { $0?.header.kind }
        #expect(kinds == [.event, .detach])
        #expect(await worker.peer.next() == nil)
        await turn()
        #expect(worker.viewer.lines.count == 3)
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
