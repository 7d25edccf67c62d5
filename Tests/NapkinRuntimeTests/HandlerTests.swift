// HandlerTests: handlers that suspend, are cancelled, or cancel themselves.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// Teaches the hall to take its left room away, and the room to wait for that.
    private func teachLeaving(_ house: House, _ room: RoomRouter) async {
        let hall = house.hall
        await room.interactor.teach("wait") { _ in
            await untilCancelled()
            throw CancellationError()
        }
        await room.interactor.teach("leave") { _ in
            await hall.detach(hall.left)
            return "left, cancelled: \(Task.isCancelled)"
        }
    }

    @Test func `unmounting cancels the handlers of the node, except the one that does it`()
        async throws
    {
        let house = await House()
        let visitor = try await house.attach()
        for round in 0..<40 {
            let room = await house.furnishLeft()
            await teachLeaving(house, room)
            let view = visitor.room(UInt32(round + 2))
            let waits = (0..<3).map { _ in
                Task.immediate { await fault { try await view.act("wait") } }
            }
            #expect(try await view.act("leave") == "left, cancelled: false")
            for wait in waits { #expect(await wait.value?.code == .cancelled) }
            #expect(try await visitor.room(1).double(round) == 2 * round)
        }
        #expect(house.session.runningHandlers == 0)
        await house.end()
    }

    @Test func `a runner that was cancelled is replaced, and no later handler is cancelled`()
        async throws
    {
        let house = await House()
        let visitor = try await house.attach()
        let tenant = house.hall.interactor
        await tenant.teach("cancel") { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return "\(Task.isCancelled)"
        }
        await tenant.teach("cancel and wait") { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            await letOthersRun()
            return "\(Task.isCancelled)"
        }
        await tenant.teach("look") { _ in "\(Task.isCancelled)" }
        let room = visitor.room(1)
        for _ in 0..<2 * HandlerPool.runnersMax {
            #expect(try await room.act("cancel") == "true")
            #expect(try await room.act("look") == "false")
            #expect(try await room.act("cancel and wait") == "true")
            #expect(try await room.act("look") == "false")
        }
        await letOthersRun()
        #expect(IncomingCall.handlers.freeCount > 0)
        await house.end()
    }

    @Test func `more handlers may wait than the pool has runners`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        let room = visitor.room(1)
        let count = 6 * HandlerPool.runnersMax
        for _ in 0..<3 {
            let latch = Latch()
            await house.hall.interactor.teach("wait") { _ in
                await latch.wait()
                return "done"
            }
            let waits = (0..<count).map { _ in
                Task.immediate { try await room.act("wait") }
            }
            // The handlers start in order: when this one has answered, the others wait.
            #expect(try await room.double(1) == 2)
            #expect(house.session.runningHandlers == count)
            latch.open()
            for wait in waits { #expect(try await wait.value == "done") }
            #expect(house.session.runningHandlers == 0)
        }
        await house.end()
    }

    @Test func `a handler goes on when its front has left, and answers nobody`() async throws {
        let house = await House()
        let latch = Latch()
        let ended = Latch()
        await house.hall.interactor.teach("wait") { _ in
            await latch.wait()
            await ended.open()
            return "\(Task.isCancelled)"
        }
        let visitor = try await house.attach()
        let room = visitor.room(1)
        let wait = Task.immediate { await fault { try await room.act("wait") } }
        #expect(try await room.double(1) == 2)
        visitor.front.detach()
        #expect(await wait.value?.code == .unknown)
        #expect(await settles { house.session.fronts.isEmpty })
        #expect(house.session.runningHandlers == 1)
        latch.open()
        await ended.wait()
        #expect(await settles { house.session.runningHandlers == 0 })
        await house.end()
    }

    @Test(arguments: [false, true])
    func `an event that a node refuses leaves nothing behind`(isReadOnly: Bool) async throws {
        let house = await House()
        let visitor = try await house.attach(Attach(isReadOnly: isReadOnly))
        let port = visitor.port(1)
        for method in [MethodID.readBlob, .readLog, .selectTab] {
            // Two zeros are the arguments of none of them.
            let refused = await fault {
                _ = try await port.call(method) { (writer) throws(CBORError) in
                    writer.append([0, 0] as [UInt8])
                }
            }
            #expect(refused != nil, "\(method)")
        }
        #expect(house.session.runningHandlers == 0)
        await house.end()
    }

    @Test func `a handler that waits does not keep the connection of its front`() async throws {
        let house = await House()
        let latch = Latch()
        await house.hall.interactor.teach("wait") { _ in
            await latch.wait()
            return "done"
        }
        let visitor = try await house.attach()
        // It has a runner, which has been hired by now.
        #expect(try await visitor.room(1).double(1) == 2)
        let wait = Task.immediate { await fault { try await visitor.room(1).act("wait") } }
        #expect(try await visitor.room(1).double(1) == 2)
        #expect(house.session.runningHandlers == 1)
        weak let link = house.session.fronts.first?.link
        #expect(link != nil)
        visitor.front.detach()
        _ = await wait.value
        #expect(await settles { link == nil })
        #expect(house.session.runningHandlers == 1)
        latch.open()
        #expect(await settles { house.session.runningHandlers == 0 })
        await house.end()
    }
}
