// HandlerTests: handlers that suspend, are cancelled, or cancel themselves.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// Teaches the root to take its left panel away, and the panel to wait for that.
    private func teachLeaving(_ setup: SessionSetup, _ panel: PanelRouter) async {
        let root = setup.root
        await panel.interactor.teach("wait") { _ in
            await untilCancelled()
            throw CancellationError()
        }
        await panel.interactor.teach("leave") { _ in
            await root.detach(root.left)
            return "left, cancelled: \(Task.isCancelled)"
        }
    }

    @Test func `unmounting cancels the handlers of the node, except the one that does it`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        for round in 0..<40 {
            let panel = await setup.attachLeft()
            await teachLeaving(setup, panel)
            let view = viewer.panel(UInt32(round + 2))
            let waits = (0..<3).map { _ in
                Task.immediate { await fault { try await view.act("wait") } }
            }
            #expect(try await view.act("leave") == "left, cancelled: false")
            for wait in waits { #expect(await wait.value?.code == .cancelled) }
            #expect(try await viewer.panel(1).double(round) == 2 * round)
        }
        #expect(setup.session.runningHandlers == 0)
        await setup.end()
    }

    @Test func `a runner that was cancelled is replaced, and no later handler is cancelled`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let interactor = setup.root.interactor
        await interactor.teach("cancel") { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return "\(Task.isCancelled)"
        }
        await interactor.teach("cancel and wait") { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            await letOthersRun()
            return "\(Task.isCancelled)"
        }
        await interactor.teach("look") { _ in "\(Task.isCancelled)" }
        let panel = viewer.panel(1)
        for _ in 0..<2 * HandlerPool.runnersMax {
            #expect(try await panel.act("cancel") == "true")
            #expect(try await panel.act("look") == "false")
            #expect(try await panel.act("cancel and wait") == "true")
            #expect(try await panel.act("look") == "false")
        }
        await letOthersRun()
        #expect(IncomingCall.handlers.freeCount > 0)
        await setup.end()
    }

    @Test func `more handlers may wait than the pool has runners`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let panel = viewer.panel(1)
        let count = 6 * HandlerPool.runnersMax
        for _ in 0..<3 {
            let latch = Latch()
            await setup.root.interactor.teach("wait") { _ in
                await latch.wait()
                return "done"
            }
            let waits = (0..<count).map { _ in
                Task.immediate { try await panel.act("wait") }
            }
            // The handlers start in order: when this one has answered, the others wait.
            #expect(try await panel.double(1) == 2)
            #expect(setup.session.runningHandlers == count)
            latch.open()
            for wait in waits { #expect(try await wait.value == "done") }
            #expect(setup.session.runningHandlers == 0)
        }
        await setup.end()
    }

    @Test func `a handler goes on when its front has left, and answers nobody`() async throws {
        let setup = await SessionSetup()
        let latch = Latch()
        let ended = Latch()
        await setup.root.interactor.teach("wait") { _ in
            await latch.wait()
            await ended.open()
            return "\(Task.isCancelled)"
        }
        let viewer = try await setup.attach()
        let panel = viewer.panel(1)
        let wait = Task.immediate { await fault { try await panel.act("wait") } }
        #expect(try await panel.double(1) == 2)
        viewer.front.detach()
        #expect(await wait.value?.code == .unknown)
        #expect(await settles { setup.session.fronts.isEmpty })
        #expect(setup.session.runningHandlers == 1)
        latch.open()
        await ended.wait()
        #expect(await settles { setup.session.runningHandlers == 0 })
        await setup.end()
    }

    @Test(arguments: [false, true])
    func `an event that a node refuses leaves nothing behind`(isReadOnly: Bool) async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach(Attach(isReadOnly: isReadOnly))
        let port = viewer.port(1)
        for method in [MethodID.readBlob, .readLog, .selectTab] {
            // Two zeros are the arguments of none of them.
            let refused = await fault {
                _ = try await port.call(method) { (writer) throws(CBORError) in
                    writer.append([0, 0] as [UInt8])
                }
            }
            #expect(refused != nil, "\(method)")
        }
        #expect(setup.session.runningHandlers == 0)
        await setup.end()
    }

    @Test func `a handler that waits does not keep the connection of its front`() async throws {
        let setup = await SessionSetup()
        let latch = Latch()
        await setup.root.interactor.teach("wait") { _ in
            await latch.wait()
            return "done"
        }
        let viewer = try await setup.attach()
        // It has a runner, which has been hired by now.
        #expect(try await viewer.panel(1).double(1) == 2)
        let wait = Task.immediate { await fault { try await viewer.panel(1).act("wait") } }
        #expect(try await viewer.panel(1).double(1) == 2)
        #expect(setup.session.runningHandlers == 1)
        weak let link = setup.session.fronts.first?.link
        #expect(link != nil)
        viewer.front.detach()
        _ = await wait.value
        #expect(await settles { link == nil })
        #expect(setup.session.runningHandlers == 1)
        latch.open()
        #expect(await settles { setup.session.runningHandlers == 0 })
        await setup.end()
    }
}
