// CreditTests: how many events may be outstanding, on either side.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// A worker that speaks in frames, and the front that is attached to it.
@MainActor
struct RawWorker {
    let peer: FramePeer
    let viewer: Viewer

    init(window: Int, attach: Attach = Attach(), as front: FrontSession? = nil) async throws {
        var viewer: Viewer?
        peer = try FramePeer { viewer = Viewer($0, attach, as: front) }
        self.viewer = try #require(viewer)
        #expect(await peer.next()?.header.kind == .hello)
        peer.send(FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        #expect(await peer.next()?.header.kind == .attach)
        let attached = Attached(
            app: "raw", session: "raw", front: 1, epoch: 1, window: window, isResumed: false)
        peer.send(FrameHeader(.attached), attached)
        peer.sendSnapshot(epoch: 1)
        await self.viewer.waitForSnapshot()
    }

    /// The number that the next frame, an event, tells the panel to hear.
    func heard() async throws -> Int {
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == .event)
        return try frame.decode()
    }

    func replies(_ sequences: UInt64...) -> [UInt8] {
        sequences.flatMap { sequence in
            var writer = CBORWriter()
            _ = FrameHeader(.reply, sequence: sequence).begin(in: &writer)
            return writer.copyBytes()
        }
    }
}

extension RuntimeTests {
    @Test func `an event that cannot be encoded passes its credit on`() async throws {
        let worker = try await RawWorker(window: 1)
        let (panel, port) = (worker.viewer.panel(1), worker.viewer.port(1))
        let first = dispatch { await panel.hear(1) }
        let broken = Task.immediate {
            await fault {
                try await port.call(MethodID(key: "hear(_:)")) { (_) throws(CBORError) in
                    throw CBORError(.typeMismatch, "not today")
                }
            }
        }
        let second = dispatch { await panel.hear(2) }
        #expect(try await worker.heard() == 1)
        worker.peer.send(worker.replies(1))
        let frame = try #require(await worker.peer.next())
        #expect(try frame.decode(Int.self) == 2)
        worker.peer.send(worker.replies(frame.header.sequence))
        #expect(await broken.value?.code == .unimplemented)
        await first.value
        await second.value
        worker.viewer.front.detach()
    }

    @Test func `handlers of fronts that have left for good are limited at the attach`()
        async throws
    {
        let setup = await SessionSetup()
        let latch = Latch()
        await setup.root.interactor.teach("wait") { _ in
            await latch.wait()
            return ""
        }
        let resident = try await setup.attach()
        let windows = Limits.forgottenEventsMax / Limits.eventWindow
        for count in 1...windows {
            let peer = try await setup.attachRaw()
            for sequence in 1...UInt64(Limits.eventWindow) {
                peer.send(
                    FrameHeader(
                        .event, node: 1, epoch: SessionSetup.epoch, sequence: sequence,
                        method: MethodID(key: "act(_:)").rawValue), "wait")
            }
            peer.send(FrameHeader(.detach), true)
            while await peer.next() != nil {}
            #expect(setup.session.runningHandlers == count * Limits.eventWindow)
        }
        let late = try FramePeer { setup.admit($0) }
        late.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        late.send(FrameHeader(.attach), Attach())
        #expect(await late.next()?.header.kind == .welcome)
        let goodbye = try #require(await late.next())
        #expect(goodbye.header.kind == .goodbye)
        #expect(try goodbye.decode(Refusal.self).code == .overloaded)
        #expect(try await resident.panel(1).double(4) == 8)
        latch.open()
        #expect(await settles { setup.session.runningHandlers == 0 })
        _ = try await setup.attach()
        #expect(setup.session.forgotten.isEmpty)
        await setup.end()
    }
}
