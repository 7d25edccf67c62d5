// ResumeTests: connections that are lost between an event and its answer.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A worker that speaks in frames, at the other end of a front's next connection.
    private func rawWorker(
        _ session: FrontSession, window: Int = 4, front: UInt64 = 1, epoch: UInt32 = 5,
        isResumed: Bool
    ) async throws -> (FramePeer, Viewer, Attach) {
        var viewer: Viewer?
        let peer = try FramePeer { viewer = Viewer($0, as: session) }
        let found = try #require(viewer)
        #expect(await peer.next()?.header.kind == .hello)
        peer.send(FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        let attach = try #require(await peer.next()).decode(Attach.self)
        let attached = Attached(
            app: "raw", session: "raw", front: front, epoch: epoch, window: window,
            isResumed: isResumed)
        peer.send(FrameHeader(.attached), attached)
        peer.sendSnapshot(epoch: epoch)
        await found.waitForSnapshot()
        return (peer, found, attach)
    }

    @Test func `a handler that runs over a reconnect answers on the connection that stands`()
        async throws
    {
        let setup = await SessionSetup()
        let (started, latch) = (Latch(), Latch())
        await setup.root.interactor.teach("work") { _ in
            await started.open()
            await latch.wait()
            return "late"
        }
        let first = try await setup.attachRaw()
        let act = MethodID(key: "act(_:)").rawValue
        first.send(
            FrameHeader(.event, node: 1, epoch: SessionSetup.epoch, sequence: 1, method: act),
            "work")
        await started.wait()
        // The old connection has not been noticed as dead: the new one takes over.
        let number = try #require(setup.session.fronts.first?.id)
        let second = try await setup.attachRaw(
            Attach(previousFront: number, previousEpoch: SessionSetup.epoch))
        while await first.next() != nil {}
        #expect(setup.session.fronts.map(\.id) == [number])
        latch.open()
        let answer = try #require(await second.next())
        #expect(answer.header == FrameHeader(.reply, sequence: 1))
        #expect(try answer.decode(String.self) == "late")
        await setup.end()
    }

    @Test func `in a restored session an event that waited keeps the epoch of its call`()
        async throws
    {
        let front = FrontSession(client: "visitor")
        let (first, viewer, _) = try await rawWorker(front, window: 1, isResumed: false)
        let panel = viewer.panel(1)
        let calls = [1, 2].map { number in
            Task.immediate { await fault { try await panel.double(number) } }
        }
        #expect(await first.next()?.header.epoch == 5)
        first.channel.close()
        await viewer.waitForEnd()
        let (second, other, _) = try await rawWorker(front, window: 1, epoch: 6, isResumed: true)
        let new = Task.immediate { await fault { try await other.panel(1).double(3) } }
        for (number, epoch) in [(1, 5), (2, 5), (3, 6)] as [(UInt64, UInt32)] {
            let header = try #require(await second.next()?.header)
            #expect((header.sequence, header.epoch) == (number, epoch))
            second.send(FrameHeader(.reply, sequence: number), 0)
        }
        for call in calls + [new] { #expect(await call.value == nil) }
        front.close()
        second.channel.close()
    }
}
