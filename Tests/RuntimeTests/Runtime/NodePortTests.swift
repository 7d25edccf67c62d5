// NodePortTests: a view's port, and what becomes of its events without a connection.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `a fault that nobody waits for is reported to the front`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        await viewer.panel(1).hear(1)
        #expect(viewer.lines.count == 2)
        await viewer.panel(99).hear(1)
        #expect(viewer.lines.last == "99 failed to post: gone")
        viewer.front.close()
        let count = viewer.lines.count
        await viewer.panel(99).hear(1)
        #expect(viewer.lines.count == count)
        await setup.end()
    }

    @Test func `a view that goes while its event is under way still has its fault reported`()
        async throws
    {
        let front = FrontSession(client: "visitor")
        let worker = try await RawWorker(window: 1, as: front)
        let port = worker.viewer.port(1)
        let panel = PanelPresentableListenerCrossing.sender(to: port)
        let call = dispatch { await panel.hear(1) }
        port.close()
        worker.peer.channel.close()
        await worker.viewer.waitForEnd()
        front.expire()
        await call.value
        #expect(worker.viewer.lines.last == "1 failed to post: unknown")
        front.close()
    }

    @Test func `without a connection nothing is executed, and nothing is in doubt`() async {
        let front = FrontSession(client: "visitor")
        let panel = PanelPresentableListenerCrossing.sender(to: NodePort(session: front, node: 1))
        #expect(await fault { try await panel.double(1) }?.code == .notExecuted)
        #expect(front.takeInDoubt() == 0)
    }

    @Test func `what is in doubt is counted until somebody asks`() async throws {
        let front = FrontSession(client: "visitor")
        let panel = PanelPresentableListenerCrossing.sender(to: NodePort(session: front, node: 1))
        for lost in [1, 2] {
            let worker = try await RawWorker(window: 2, as: front)
            let calls = (0..<lost).map { number in dispatch { await panel.hear(number) } }
            worker.peer.channel.close()
            await worker.viewer.waitForEnd()
            front.expire()
            for call in calls { await call.value }
        }
        #expect(front.takeInDoubt() == 3)
        #expect(front.takeInDoubt() == 0)
        front.close()
    }

    @Test func `W6: a view that is kept when its node has gone has its sender in the inventory`() {
        let front = FrontSession(client: "visitor")
        var kept: [any PanelPresentableListener] = []
        for node: UInt32 in 1...1000 {
            let port = NodePort(session: front, node: node, name: "room")
            let panel = PanelPresentableListenerCrossing.sender(to: port)
            if node == 7 { kept.append(panel) }
            port.close()
        }
        let report = front.senderInventory.report()
        #expect(report[.sender].created == 1000 && report[.sender].released == 999)
        #expect(
            report.remnants.map(\.description) == ["room #7: the sender of its view's events"])
        kept = []
        let rest = front.senderInventory.report()
        #expect(rest.isClean && rest[.sender].inUse == 0)
        #expect(kept.isEmpty)
    }

    @Test func `a port goes on with the connection that stands`() async throws {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        let first = try await setup.attach(as: front)
        let panel = first.panel(1)
        #expect(try await panel.double(1) == 2)
        front.detach()
        #expect(await fault { try await panel.double(1) }?.code == .notExecuted)
        _ = try await setup.attach(as: front)
        #expect(try await panel.double(1) == 2)
        front.close()
        #expect(await fault { try await panel.double(1) }?.code == .notExecuted)
        await setup.end()
    }
}
