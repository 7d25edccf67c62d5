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
        _ count: Int, to room: any RoomPresentableListener
    ) -> [Task<RemoteFault?, Never>] {
        (0..<count).map { number in
            Task.immediate { await fault { try await room.double(number) } }
        }
    }

    @Test func `what was sent is in doubt, what was not sent was not executed`() async throws {
        let worker = try await RawWorker(window: 2)
        let room = worker.visitor.room(1)
        let calls = self.calls(4, to: room)
        worker.peer.channel.close()
        #expect(await codes(calls) == [.unknown, .unknown, .notExecuted, .notExecuted])
        #expect(await fault { try await room.double(5) }?.code == .notExecuted)
        #expect(worker.visitor.front.outstandingEvents == 0)
        #expect(!worker.visitor.front.isConnected)
        #expect(worker.visitor.front.takeInDoubt() == 2)
        await worker.visitor.waitForEnd()
        await turn()
        #expect(
            worker.visitor.lines == [
                "attached to raw", "snapshot: ",
                "session ended: the other side closed the connection",
            ])
    }

    @Test func `leaving ends the events of the one who leaves`() async throws {
        let worker = try await RawWorker(window: 1)
        let calls = self.calls(2, to: worker.visitor.room(1))
        // From inside of a task, as a view does it.
        worker.visitor.front.detach()
        worker.visitor.front.detach()
        #expect(worker.visitor.lines.last == "session ended: closed")
        #expect(await codes(calls) == [.unknown, .notExecuted])
        // What was called before the end of the tick is sent before it.
        let kinds = [await worker.peer.next(), await worker.peer.next()].map { $0?.header.kind }
        #expect(kinds == [.event, .detach])
        #expect(await worker.peer.next() == nil)
        await turn()
        #expect(worker.visitor.lines.count == 3)
    }

    @Test func `before the attachment nothing is sent, and no credit is used`() async throws {
        let house = await House()
        let visitor = try house.connect()
        let early = calls(2 * Limits.eventWindow, to: visitor.room(1))
        #expect(await codes(early).allSatisfy { $0 == .notExecuted })
        await visitor.waitForSnapshot()
        #expect(try await visitor.room(1).double(1) == 2)
        await house.end()
    }

    @Test func `a session that ends says why, and its events are not lost in silence`()
        async throws
    {
        let house = await House()
        await house.hall.interactor.teach("wait") { _ in
            await untilCancelled()
            throw CancellationError()
        }
        let visitor = try await house.attach()
        let room = visitor.room(1)
        let wait = Task.immediate { await fault { try await room.act("wait") } }
        #expect(try await room.double(1) == 2)
        await house.end()
        #expect(await wait.value?.code == .unknown)
        await visitor.waitForEnd()
        #expect(visitor.lines.last == "session ended: the test is over")
        #expect(house.session.fronts.isEmpty)
        #expect(house.session.nodeCount == 0)
    }

    @Test func `a front that vanishes leaves the others alone`() async throws {
        let house = await House()
        let peer = try await house.attachRaw()
        let visitor = try await house.attach()
        peer.channel.close()
        #expect(await settles { house.session.fronts.count == 1 })
        await house.hall.interactor.presenter.count(1)
        await visitor.journal.wait(for: "1 state count(1)")
        #expect(try await visitor.room(1).double(1) == 2)
        await house.end()
    }
}
