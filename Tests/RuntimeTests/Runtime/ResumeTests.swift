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
    ) async throws -> (RawPeer, Viewer, Attach) {
        var viewer: Viewer?
        let peer = try RawPeer { viewer = Viewer($0, as: session) }
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

    @Test
    func `an answer that finds no connection is given on the next one, and nothing runs twice`()
        async throws
    {
        let setup = await SessionSetup()
        let (started, latch) = (Latch(), Latch())
        let runs = Peak()
        await setup.root.interactor.teach("work") { _ in
            await MainActor.run { runs.note(runs.value + 1) }
            await started.open()
            await latch.wait()
            return "done"
        }
        let front = FrontSession(client: "visitor")
        let first = try await setup.attach(as: front)
        let panel = first.panel(1)
        let work = Task.immediate { try await panel.act("work") }
        await started.wait()
        setup.session.fronts.first?.link?.close()
        await first.waitForEnd()
        #expect(setup.session.fronts.isEmpty)
        latch.open()
        #expect(await settles { setup.session.runningHandlers == 0 })
        let second = try await setup.attach(as: front)
        #expect(second.attached?.isResumed == true)
        #expect(try await work.value == "done")
        #expect(runs.value == 1)
        #expect(try await second.panel(1).double(4) == 8)
        front.close()
        await setup.end()
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

    @Test func `an event that never arrived is sent again, and what waited goes on behind it`()
        async throws
    {
        let front = FrontSession(client: "visitor")
        let (first, viewer, attach) = try await rawWorker(front, window: 1, isResumed: false)
        #expect(attach.previousIdentity == nil)
        let panel = viewer.panel(1)
        let calls = [1, 2].map { number in
            Task.immediate { await fault { try await panel.double(number) } }
        }
        let sent = try #require(await first.next())
        first.channel.close()
        await viewer.waitForEnd()
        let (second, other, again) = try await rawWorker(front, window: 1, isResumed: true)
        #expect(again.previousIdentity == SessionIdentity(front: 1, epoch: 5))
        #expect(await second.next() == sent)
        #expect(other.front.outstandingEvents == 1)
        second.send(FrameHeader(.reply, sequence: 1), 2)
        let next = try #require(await second.next())
        #expect(next.header.sequence == 2)
        second.send(FrameHeader(.reply, sequence: 2), 4)
        for call in calls { #expect(await call.value == nil) }
        // These two answers are confirmed with thirty others.
        for number in 3...Limits.answersPerConfirmation {
            let call = Task.immediate { await fault { try await other.panel(1).double(number) } }
            #expect(await second.next()?.header.sequence == UInt64(number))
            second.send(FrameHeader(.reply, sequence: UInt64(number)), 2 * number)
            #expect(await call.value == nil)
        }
        #expect(await second.next()?.header == FrameHeader(.received, sequence: 32))
        front.close()
        second.channel.close()
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

    @Test func `an answer to an event that was never sent is ignored, and counted`() async throws {
        let front = FrontSession(client: "visitor")
        let (peer, viewer, _) = try await rawWorker(front, window: 1, isResumed: false)
        for number in 1...Limits.answersPerConfirmation {
            peer.send(FrameHeader(.reply, sequence: 1000 + UInt64(number)), 0)
        }
        let confirmation = FrameHeader(.received, sequence: UInt64(Limits.answersPerConfirmation))
        #expect(await peer.next()?.header == confirmation)
        let call = Task.immediate { try await viewer.panel(1).double(1) }
        #expect(await peer.next()?.header.sequence == 1)
        peer.send(FrameHeader(.reply, sequence: 1), 2)
        #expect(try await call.value == 2)
        front.close()
        peer.channel.close()
    }

    @Test func `a front that is not known any more ends its events in truth`() async throws {
        let front = FrontSession(client: "visitor")
        let (first, viewer, _) = try await rawWorker(front, window: 1, isResumed: false)
        let panel = viewer.panel(1)
        let calls = [1, 2].map { number in
            Task.immediate { await fault { try await panel.double(number) } }
        }
        first.channel.close()
        await viewer.waitForEnd()
        let (second, other, _) = try await rawWorker(front, front: 9, isResumed: false)
        #expect(await calls[0].value?.code == .unknown)
        #expect(await calls[1].value?.code == .notExecuted)
        let next = Task.immediate { try await other.panel(1).double(3) }
        #expect(await second.next()?.header.sequence == 1)
        second.send(FrameHeader(.reply, sequence: 1), 6)
        #expect(try await next.value == 6)
        front.close()
        second.channel.close()
    }

    @Test func `a gap in the numbers, or one that does not ascend, ends the connection`()
        async throws
    {
        let hear = MethodID(key: "hear(_:)").rawValue
        for numbers: [UInt64] in [[2], [1, 3], [1, 1]] {
            let setup = await SessionSetup()
            let peer = try await setup.attachRaw()
            for number in numbers {
                peer.send(
                    FrameHeader(
                        .event, node: 1, epoch: SessionSetup.epoch, sequence: number, method: hear),
                    5)
            }
            var last: RawFrame?
            while let frame = await peer.next() { last = frame }
            #expect(last?.header.kind == .goodbye)
            #expect(await setup.root.interactor.heard.count == numbers.count - 1)
            await setup.end()
        }
    }

    @Test func `a thousand events with a loss after every tenth arrive once and in order`()
        async throws
    {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        var viewer = try await setup.attach(as: front)
        var calls: [Task<RemoteFault?, Never>] = []
        for number in 0..<1000 {
            let panel = viewer.panel(1)
            calls.append(
                Task.immediate { await fault { try await panel.double(number) } })
            let line = viewer.panel(1)
            dispatch { await line.hear(number) }
            guard number % 10 == 9 else { continue }
            // Somewhere between sending and answering.
            if number % 20 == 9 { await turn() }
            setup.session.fronts.last?.link?.close()
            viewer = try await setup.attach(as: front)
        }
        for call in calls { #expect(await call.value == nil) }
        #expect(try await viewer.panel(1).double(1) == 2)
        let isInOrder = await setup.root.interactor.heard.elementsEqual(0..<1000)
        #expect(isInOrder)
        front.close()
        await setup.end()
    }
}
