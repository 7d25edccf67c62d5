// DismissalTests: a front's own back gesture, over real sockets.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private func push(_ house: House) async -> RoomRouter {
        let room = RoomRouter()
        await house.hall.attach(house.hall.right) { room }
        return room
    }

    @Test func `R15: a pushed child is dismissed for every front, before the answer`()
        async throws
    {
        let house = await House()
        let room = await push(house)
        let visitor = try await house.attach()
        let other = try await house.attach()
        try await visitor.port(2).dismiss()
        #expect(visitor.lines.last == "unmount 2")
        #expect(!house.hall.right.isOccupied)
        #expect(await room.interactor.isActive == false)
        await other.journal.wait(for: "unmount 2")
        // It is gone already, which is what its front wants, too.
        try await other.port(2).dismiss()
        #expect(other.journal.count(of: "unmount 2") == 1)
        await house.end()
    }

    @Test func `R15: a back gesture and the worker's own detach may cross, and both end well`()
        async throws
    {
        let house = await House()
        for _ in 0..<20 {
            _ = await push(house)
            let visitor = try await house.attach()
            let node = try #require(house.hall.right.child?.core.node?.id)
            let gesture = Task.immediate { try await visitor.port(node).dismiss() }
            let detach = Task.immediate { await house.hall.detach(house.hall.right) }
            let again = Task.immediate { try await visitor.port(node).dismiss() }
            await detach.value
            try await gesture.value
            try await again.value
            #expect(visitor.journal.count(of: "unmount \(node)") == 1)
            #expect(house.hall.children.isEmpty)
            visitor.front.detach()
            await visitor.waitForEnd()
        }
        await house.end()
    }

    @Test func `R15: a worker that detaches first answers a late gesture, once`() async throws {
        let house = await House()
        _ = await push(house)
        let visitor = try await house.attach()
        // Sent before the front has been told, received after the detach has begun.
        let gesture = Task.immediate { try await visitor.port(2).dismiss() }
        await house.hall.detach(house.hall.right)
        try await gesture.value
        #expect(visitor.lines.count { $0 == "unmount 2" } == 1)
        #expect(visitor.front.outstandingEvents == 0)
        #expect(house.session.runningHandlers == 0)
        await house.end()
    }

    @Test func `what is embedded stays, and so does what its parent or the front may not let go`()
        async throws
    {
        let house = await House()
        _ = await house.furnishLeft()
        _ = await push(house)
        let visitor = try await house.attach()
        let embedded = await fault { try await visitor.port(2).dismiss() }
        #expect(embedded?.code == .refused)
        #expect(await fault { try await visitor.port(1).dismiss() }?.code == .refused)
        house.hall.refusal = RemoteFault(.refused, "the floor is wet")
        let refused = await fault { try await visitor.port(3).dismiss() }
        #expect(refused == RemoteFault(.refused, "the floor is wet"))
        house.hall.refusal = nil
        let reader = try await house.attach(Attach(isReadOnly: true))
        #expect(await fault { try await reader.port(3).dismiss() }?.code == .refused)
        #expect(house.hall.children.count == 2)
        try await visitor.port(3).dismiss()
        #expect(house.hall.children.count == 1)
        await house.end()
    }

    @Test func `a view without tabs has none to select`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        let none = await fault { try await visitor.port(1).select(tab: "menu") }
        #expect(none == RemoteFault(.refused, "room has no tab menu; it has none"))
        await house.end()
    }
}
