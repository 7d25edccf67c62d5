// EventLineTests: a front's way to the session, across its connections, and a view's port.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `a port that was closed says that its node is gone`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        let port = visitor.port(1)
        let room = RoomPresentableListenerCrossing.sender(to: port)
        #expect(try await room.double(1) == 2)
        port.close()
        port.close()
        #expect(await fault { try await room.double(1) }?.code == .gone)
        await room.hear(1)
        #expect(visitor.lines.last == "1 failed to post: gone")
        #expect(await house.hall.interactor.heard.isEmpty)
        await house.end()
    }

    @Test func `a fault that nobody waits for is reported to the front`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        await visitor.room(1).hear(1)
        #expect(visitor.lines.count == 2)
        await visitor.room(99).hear(1)
        #expect(visitor.lines.last == "99 failed to post: gone")
        visitor.line.close()
        await visitor.room(99).hear(1)
        #expect(visitor.lines.count == 3)
        await house.end()
    }

    @Test func `a view that goes while its event is under way still has its fault reported`()
        async throws
    {
        let worker = try await RawWorker(window: 1)
        let port = worker.visitor.port(1)
        let room = RoomPresentableListenerCrossing.sender(to: port)
        let call = dispatch { await room.hear(1) }
        port.close()
        worker.peer.channel.close()
        await call.value
        #expect(worker.visitor.lines.last == "1 failed to post: unknown")
    }

    @Test func `without a connection nothing is executed, and nothing is in doubt`() async {
        let line = EventLine { _, _, _ in }
        let room = RoomPresentableListenerCrossing.sender(to: NodePort(line: line, node: 1))
        #expect(await fault { try await room.double(1) }?.code == .notExecuted)
        #expect(line.takeInDoubt() == 0)
    }

    @Test func `what is in doubt is counted until somebody asks`() async throws {
        let line = EventLine { _, _, _ in }
        let room = RoomPresentableListenerCrossing.sender(to: NodePort(line: line, node: 1))
        for lost in [1, 2] {
            let worker = try await RawWorker(window: 2)
            line.client = worker.visitor.client
            let calls = (0..<lost).map { number in dispatch { await room.hear(number) } }
            worker.peer.channel.close()
            for call in calls { await call.value }
        }
        #expect(line.takeInDoubt() == 3)
        #expect(line.takeInDoubt() == 0)
    }

    @Test func `W6: a view that is kept when its node has gone has its sender in the ledger`() {
        let line = EventLine { _, _, _ in }
        var kept: [any RoomPresentableListener] = []
        for node: UInt32 in 1...1000 {
            let port = NodePort(line: line, node: node, name: "room")
            let room = RoomPresentableListenerCrossing.sender(to: port)
            if node == 7 { kept.append(room) }
            port.close()
        }
        let report = line.ledger.report()
        #expect(report[.sender].created == 1000 && report[.sender].released == 999)
        #expect(
            report.remnants.map(\.description) == ["room #7: the sender of its view's events"])
        kept = []
        #expect(line.ledger.report().isClean && line.ledger.report()[.sender].inUse == 0)
        #expect(kept.isEmpty)
    }

    @Test func `the line goes on with the connection that stands`() async throws {
        let house = await House()
        let (first, second) = (try await house.attach(), try await house.attach())
        let line = EventLine { _, _, _ in }
        let room = RoomPresentableListenerCrossing.sender(to: NodePort(line: line, node: 1))
        line.client = first.client
        #expect(try await room.double(1) == 2)
        first.client.detach()
        #expect(await fault { try await room.double(1) }?.code == .notExecuted)
        line.client = second.client
        #expect(try await room.double(1) == 2)
        line.close()
        #expect(await fault { try await room.double(1) }?.code == .notExecuted)
        await house.end()
    }
}
