// QueueTests: what a session says of who is on it and of what waits, and where a link is slow.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A frame of that many bytes in all, which says nothing.
    private func frame(of byteCount: Int) -> [UInt8] {
        var writer = CBORWriter()
        let payload = [UInt8](repeating: 0xF6, count: byteCount - FrameHeader.byteCount)
        let start = FrameHeader(.pong).begin(in: &writer)
        writer.append(payload)
        FrameHeader.finish(frameAt: start, in: &writer)
        return writer.copyBytes()
    }

    @Test func `a session tells how its fronts do`() async throws {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        let away = try await setup.attach(Attach(isReadOnly: true), as: front)
        setup.session.fronts.first?.link?.close()
        await away.waitForEnd()
        let peer = try await setup.attachRaw()
        let reader = try await setup.attach(Attach(isReadOnly: true))
        let infos = setup.session.fronts.map(\.info)
        #expect(infos.map(\.front) == [2, 3])
        #expect(infos.map(\.client) == ["raw", "visitor"])
        #expect(infos.map(\.isReadOnly) == [false, true])
        #expect(infos.map(\.isSlow) == [false, false])
        #expect(infos.allSatisfy { $0.idleSeconds >= 0 })
        let departed = try #require(setup.session.away.first)
        #expect(departed.front == 1 && departed.client == "visitor")
        #expect(departed.isReadOnly == true && departed.isSlow == nil)
        #expect(departed.idleSeconds >= 0)
        peer.channel.stopReading()
        await setup.root.interactor.presenter.show(String(repeating: "x", count: 2_000_000))
        #expect(await settles { setup.session.fronts[0].info.isSlow == true })
        #expect(reader.front.isConnected)
        peer.channel.close()
        front.close()
        await setup.end()
    }

    @Test func `idle is how long nothing has come, and not how long nothing was sent`() async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let front = try #require(setup.session.fronts.first)
        let heard = front.link?.heardAt ?? 0
        #expect(await settles { Loop.shared.now > heard + 5 })
        await setup.root.interactor.presenter.count(1)
        #expect(await settles { viewer.lines.last?.contains("count") == true })
        #expect(front.link?.heardAt == heard)
        _ = try await viewer.panel(1).double(1)
        #expect((front.link?.heardAt ?? 0) > heard)
        await setup.end()
    }

    @Test func `what waits for a front is counted, by class`() async throws {
        let setup = await SessionSetup()
        let (started, latch) = (Latch(), Latch())
        await setup.root.interactor.teach("work") { _ in
            await started.open()
            await latch.wait()
            return "done"
        }
        let peer = try await setup.attachRaw()
        let front = try #require(setup.session.fronts.first)
        let presenter = setup.root.interactor.presenter
        let act = FrameHeader(
            .event, node: 1, epoch: SessionSetup.epoch, sequence: 1,
            method: MethodID(key: "act(_:)").rawValue)
        peer.send(act, "work")
        await started.wait()
        let asking = Task.immediate { try await presenter.confirm("sure?") }
        #expect(await settles { setup.session.openQuestions == 1 })
        peer.channel.stopReading()
        await presenter.show(String(repeating: "x", count: 2_000_000))
        #expect(await settles { front.link?.isSlow == true })
        for number in 0..<3 {
            await presenter.count(number)
            await presenter.flash("\(number)")
        }
        await presenter.tell("last")
        latch.open()
        #expect(await settles { setup.session.runningHandlers == 0 })
        _ = await setup.attachLeft()
        let queues = try #require(setup.session.tree().queues)
        #expect(queues.asks == 1 && queues.departedFronts == 0 && queues.unseenEffects == 0)
        #expect(queues.limits == SessionQueues.Limits())
        let own = try #require(queues.fronts.first)
        #expect(queues.fronts.count == 1 && own.front == front.id && !own.isAway)
        #expect(own.events == 0 && own.workflows == 0 && own.refusedEvents == 0)
        // `count` once and `tell`; the answer and the transition must arrive.
        #expect(own.states == 2 && own.mergedStates == 2)
        #expect(own.effects == 3 && own.droppedEffects == 0)
        #expect(own.answers == 1 && own.answerBytes > 28)
        #expect(own.orderedBytes > own.answerBytes)
        #expect(own.socketBytes > Limits.slowFrontBytes)
        // What is kept of a front that has gone.
        peer.channel.close()
        #expect(await settles { setup.session.fronts.isEmpty })
        let after = try #require(setup.session.tree().queues)
        #expect(after.departedFronts == 1 && after.asks == 1)
        let kept = try #require(after.fronts.first)
        #expect(kept.isAway && kept.answers == 1 && kept.effects == 0 && kept.socketBytes == 0)
        await setup.end()
        #expect(await fault { try await asking.value }?.code == .gone)
        #expect(setup.session.tree().queues == nil)
    }

    @Test(arguments: [-1, 0, 1]) func `a link is slow beyond its limit exactly`(offset: Int)
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw(sendBufferBytes: 1 << 20)
        let link = try #require(setup.session.fronts.first?.link)
        #expect(link.pendingBytes == 0)
        let count = Limits.slowFrontBytes + offset
        link.send(encoded: frame(of: count))
        #expect(link.pendingBytes == count)
        #expect(link.isSlow == (offset > 0))
        #expect(await peer.next()?.header.kind == .pong)
        #expect(!link.isSlow)
        await setup.end()
    }

    @Test(arguments: [-1, 0, 1]) func `a peer that asks and does not read is let go exactly`(
        offset: Int
    ) async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let link = try #require(setup.session.fronts.first?.link)
        peer.channel.stopReading()
        // Before the turn ends nothing has been written: what waits is known to the byte.
        let large = frame(of: Limits.orderedBacklogBytesMax / 4)
        for _ in 0..<3 { link.send(encoded: large) }
        link.send(encoded: frame(of: large.count + offset))
        #expect(link.pendingBytes == Limits.orderedBacklogBytesMax + offset)
        #expect(link.keepsUp() == (offset <= 0))
        #expect(link.isOpen == (offset <= 0))
        peer.channel.close()
        await setup.end()
    }
}
