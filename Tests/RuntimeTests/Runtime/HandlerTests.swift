// HandlerTests: handlers that suspend, or cancel themselves.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
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

    @Test(arguments: [false, true])
    func `an event that a node refuses leaves nothing behind`(isReadOnly: Bool) async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach(Attach(isReadOnly: isReadOnly))
        let port = viewer.port(1)
        for method in [MethodID.readLog, .selectTab] {
            // Two zeros are the arguments of neither.
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
