// CancellationTests: callers that do not wait for the answers of their events.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// Teaches the hall to wait until it is cancelled, and to note that.
    private func teachToHang(_ house: House, _ journal: Journal) async {
        await house.hall.interactor.teach("hang") { _ in
            journal.note("hangs")
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                journal.note("cancelled")
                throw error
            }
            return "never"
        }
    }

    @Test func `an event is cancelled as often as a peer likes, and answered once`() async throws {
        let (house, journal) = (await House(), Journal())
        await teachToHang(house, journal)
        let peer = try await house.attachRaw()
        var event = FrameHeader(
            .event, node: 1, epoch: House.epoch, sequence: 1,
            method: MethodID(key: "act(_:)").rawValue)
        peer.send(event, "hang")
        for _ in 0..<1000 { peer.send(FrameHeader(.cancelEvent, sequence: 1)) }
        let answer = try #require(await peer.next())
        #expect(answer.header == FrameHeader(.fault, sequence: 1))
        #expect(try answer.fault == "cancelled")
        // The next one runs in a task that nobody has cancelled.
        await house.hall.interactor.teach("work") { _ in "cancelled: \(Task.isCancelled)" }
        event.sequence = 2
        peer.send(event, "work")
        peer.send(FrameHeader(.cancelEvent, sequence: 1))
        peer.send(FrameHeader(.cancelEvent, sequence: 2))
        let next = try #require(await peer.next())
        #expect(next.header == FrameHeader(.reply, sequence: 2))
        #expect(try next.decode(String.self) == "cancelled: false")
        #expect(journal.lines == ["hangs", "cancelled"])
        peer.send(FrameHeader(.cancelEvent, sequence: 3))
        let goodbye = try #require(await peer.next())
        #expect(try goodbye.decode(Refusal.self).code == .protocolViolation)
        await house.end()
    }

    @Test func `a handler that ignores its cancellation keeps its credit until it answers`()
        async throws
    {
        let (house, latch) = (await House(), Latch())
        await house.hall.interactor.teach("insist") { _ in
            await latch.wait()
            return "done, cancelled: \(Task.isCancelled)"
        }
        let visitor = try await house.attach()
        // What it throws is in another test.
        let call = dispatch { _ = try? await visitor.room(1).act("insist") }
        call.cancel()
        await call.value
        #expect(visitor.front.outstandingEvents == 1)
        latch.open()
        #expect(try await visitor.room(1).double(1) == 2)
        #expect(await settles { visitor.front.outstandingEvents == 0 })
        #expect(house.session.runningHandlers == 0)
        #expect(visitor.front.takeInDoubt() == 0)
        await house.end()
    }

    @Test func `a trace shows cancellations, and which was a deadline's`() async throws {
        let (house, journal) = (await House(), Journal())
        await teachToHang(house, journal)
        let visitor = try await house.attach()
        let tracer = try await house.session.trace(nil, feature: nil, values: false).tracer
        let room = visitor.room(1)
        // What it throws is in another test.
        let call = dispatch { _ = try? await room.act("hang") }
        await journal.wait(for: "hangs")
        call.cancel()
        await call.value
        let late = await fault {
            try await withDeadline(.milliseconds(20)) { try await room.act("hang") }
        }
        #expect(late?.code == .deadlineExceeded)
        #expect(try await room.double(1) == 2)
        var messages: [TracedMessage] = []
        while !messages.contains(where: { $0.kind == "reply" }) {
            messages += try await house.session.trace(tracer, feature: nil, values: false).messages
        }
        let cancels = messages.filter { $0.kind == "cancelEvent" }
        #expect(cancels.map(\.outcome) == ["cancelled", "deadlineExceeded"])
        #expect(cancels.map(\.method) == ["act(_:)", "act(_:)"])
        #expect(cancels.map(\.isFromFront) == [true, true])
        await house.end()
    }

    @Test func `a deadline ends a question, too`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        await house.hall.interactor.teach("ask") { tenant in
            try await withDeadline(.milliseconds(20)) {
                "\(try await tenant.presenter.confirm("well?"))"
            }
        }
        let late = await fault { try await visitor.room(1).act("ask") }
        #expect(late?.code == .deadlineExceeded)
        #expect(house.session.asks.count == 0)
        await house.end()
    }
}
