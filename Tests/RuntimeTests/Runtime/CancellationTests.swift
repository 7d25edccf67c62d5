// CancellationTests: callers that do not wait for the answers of their events.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// Teaches the root to wait until it is cancelled, and to note that.
    private func teachToHang(_ setup: SessionSetup, _ journal: Journal) async {
        await setup.root.interactor.teach("hang") { _ in
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
        let (setup, journal) = (await SessionSetup(), Journal())
        await teachToHang(setup, journal)
        let peer = try await setup.attachRaw()
        var event = FrameHeader(
            .event, node: 1, epoch: SessionSetup.epoch, sequence: 1,
            method: MethodID(key: "act(_:)").rawValue)
        peer.send(event, "hang")
        for _ in 0..<1000 { peer.send(FrameHeader(.cancelEvent, sequence: 1)) }
        let answer = try #require(await peer.next())
        #expect(answer.header == FrameHeader(.fault, sequence: 1))
        #expect(try answer.fault == "cancelled")
        // The next one runs in a task that nobody has cancelled.
        await setup.root.interactor.teach("work") { _ in "cancelled: \(Task.isCancelled)" }
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
        await setup.end()
    }

    @Test func `a handler that ignores its cancellation keeps its credit until it answers`()
        async throws
    {
        let (setup, latch) = (await SessionSetup(), Latch())
        await setup.root.interactor.teach("insist") { _ in
            await latch.wait()
            return "done, cancelled: \(Task.isCancelled)"
        }
        let viewer = try await setup.attach()
        // What it throws is in another test.
        let call = dispatch { _ = try? await viewer.panel(1).act("insist") }
        call.cancel()
        await call.value
        #expect(viewer.front.outstandingEvents == 1)
        latch.open()
        #expect(try await viewer.panel(1).double(1) == 2)
        #expect(await settles { viewer.front.outstandingEvents == 0 })
        #expect(setup.session.runningHandlers == 0)
        #expect(viewer.front.takeInDoubt() == 0)
        await setup.end()
    }

    @Test func `a trace shows cancellations, and which was a deadline's`() async throws {
        let (setup, journal) = (await SessionSetup(), Journal())
        await teachToHang(setup, journal)
        let viewer = try await setup.attach()
        let tracer = try await setup.session.trace(nil, feature: nil, values: false).tracer
        let panel = viewer.panel(1)
        // What it throws is in another test.
        let call = dispatch { _ = try? await panel.act("hang") }
        await journal.wait(for: "hangs")
        call.cancel()
        await call.value
        let late = await fault {
            try await withDeadline(.milliseconds(20)) { try await panel.act("hang") }
        }
        #expect(late?.code == .deadlineExceeded)
        #expect(try await panel.double(1) == 2)
        var messages: [TracedMessage] = []
        while !messages.contains(where: { $0.kind == "reply" }) {
            messages += try await setup.session.trace(tracer, feature: nil, values: false).messages
        }
        let cancels = messages.filter { $0.kind == "cancelEvent" }
        #expect(cancels.map(\.outcome) == ["cancelled", "deadlineExceeded"])
        #expect(cancels.map(\.method) == ["act(_:)", "act(_:)"])
        #expect(cancels.map(\.isFromFront) == [true, true])
        await setup.end()
    }

    @Test func `a deadline ends a question, too`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        await setup.root.interactor.teach("ask") { interactor in
            try await withDeadline(.milliseconds(20)) {
                "\(try await interactor.presenter.confirm("well?"))"
            }
        }
        let late = await fault { try await viewer.panel(1).act("ask") }
        #expect(late?.code == .deadlineExceeded)
        #expect(setup.session.stage.asks.count == 0)
        await setup.end()
    }
}
