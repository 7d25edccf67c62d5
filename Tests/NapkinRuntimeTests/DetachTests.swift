// DetachTests: fronts that another client detaches, and what they and the others see of it.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// How a front's connection ended: `code: sentence`.
    private func goodbye(_ peer: RawPeer) async throws -> Refusal {
        while let frame = await peer.next() {
            if frame.header.kind == .goodbye { return try frame.decode(Refusal.self) }
        }
        throw Mishap(description: "no goodbye")
    }

    @Test func `one front is detached, told so, and nobody else`() async throws {
        let house = await House()
        let (first, second) = (try await house.attach(), try await house.attach())
        let number = try #require(first.attached?.front)
        #expect(house.session.detach(number) == 1)
        #expect(house.session.fronts.count == 1)
        await first.waitForEnd()
        #expect(
            first.lines.last
                == "session ended: detached from session 'house' by another client, which asked "
                + "for that; the session keeps running: `napkin-client attach house --session "
                + "house` returns to it"
        )
        #expect(try await second.room(1).double(4) == 8)
        #expect(house.session.detach(number) == 0)
        #expect(house.session.detach(77) == 0)
        await house.end()
    }

    @Test func `all fronts are detached, also those that are away`() async throws {
        let house = await House()
        let front = FrontSession(client: "visitor")
        let away = try await house.attach(as: front)
        house.session.fronts.first?.link?.close()
        await away.waitForEnd()
        let here = [try await house.attach(), try await house.attach(Attach(isReadOnly: true))]
        #expect(house.session.away.map(\.front) == [1])
        #expect(house.session.detach(nil) == 3)
        #expect(house.session.away.isEmpty)
        for visitor in here { await visitor.waitForEnd() }
        // It does not know yet, and is told when it comes back.
        let back = try house.connect(as: front)
        await back.waitForEnd()
        #expect(back.attached == nil)
        #expect(back.lines.last?.contains("by another client, which has detached it") == true)
        #expect(house.session.fronts.isEmpty)
        #expect(house.session.detach(nil) == 0)
        front.close()
        await house.end()
    }

    @Test func `a front that is detached is told in a code from which it does not come back`()
        async throws
    {
        let house = await House()
        let peer = try await house.attachRaw()
        #expect(house.session.detach(nil) == 1)
        let refusal = try await goodbye(peer)
        #expect(refusal.code == .detached)
        #expect(refusal.message.hasPrefix("detached from session 'house' by another client"))
        #expect(await peer.next() == nil)
        // Its old identity lets nobody in.
        let again = try RawPeer { house.admit($0) }
        again.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        again.send(
            FrameHeader(.attach), Attach(previousFront: 1, previousEpoch: House.epoch))
        #expect(try await goodbye(again).code == .detached)
        #expect(house.session.fronts.isEmpty)
        await house.end()
    }

    @Test func `what a detached front had sent is in doubt, and its handler goes on`() async throws
    {
        let house = await House()
        let (started, latch, finished) = (Latch(), Latch(), Latch())
        await house.hall.interactor.teach("work") { _ in
            await started.open()
            await latch.wait()
            await finished.open()
            return "done"
        }
        let front = FrontSession(client: "visitor")
        let visitor = try await house.attach(as: front)
        let room = visitor.room(1)
        let work = Task.immediate { await fault { try await room.act("work") } }
        await started.wait()
        #expect(house.session.detach(nil) == 1)
        await visitor.waitForEnd()
        // As a front does that is told not to come back.
        front.close()
        #expect(await work.value?.code == .unknown)
        latch.open()
        await finished.wait()
        #expect(await settles { house.session.runningHandlers == 0 })
        await house.end()
    }

    @Test func `a detached front is shown and asked nothing more, while it takes its last bytes`()
        async throws
    {
        let house = await House()
        let peer = try await house.attachRaw()
        let front = try #require(house.session.fronts.first)
        let presenter = house.hall.interactor.presenter
        peer.channel.stopReading()
        await presenter.show(String(repeating: "x", count: 2_000_000))
        #expect(await settles { front.link?.isSlow == true })
        #expect(house.session.detach(nil) == 1)
        // Nobody is attached, although the connection still stands.
        await presenter.flash("unseen")
        #expect(house.session.unseenEffects == 1)
        #expect(await fault { try await presenter.confirm("there?") }?.code == .noFront)
        peer.channel.startReading()
        #expect(try await goodbye(peer).code == .detached)
        await house.end()
    }

    @Test func `a front that takes over is alone, and answers what was open`() async throws {
        let house = await House()
        let front = FrontSession(client: "visitor")
        let away = try await house.attach(as: front)
        house.session.fronts.first?.link?.close()
        await away.waitForEnd()
        let first = try await house.attach()
        let presenter = house.hall.interactor.presenter
        let asking = Task.immediate { try await presenter.confirm("sure?") }
        #expect(await settles { !first.asked.isEmpty })
        let second = try await house.attach(Attach(takesOver: true))
        await first.waitForEnd()
        #expect(first.lines.last?.contains("which took the session over") == true)
        #expect(house.session.fronts.map(\.id) == [second.attached?.front])
        #expect(house.session.away.isEmpty)
        #expect(second.asked == [1])
        try second.answer(1, true)
        #expect(try await asking.value)
        // Those who come later are let in.
        let third = try await house.attach()
        #expect(second.front.isConnected && third.front.isConnected)
        let back = try house.connect(as: front)
        await back.waitForEnd()
        #expect(back.attached == nil)
        front.close()
        await house.end()
    }

    @Test func `fronts are told of another name, and stay`() async throws {
        let house = await House()
        let peer = try await house.attachRaw()
        house.session.rename(to: "cottage")
        peer.send(FrameHeader(.ping, sequence: 3))
        let frame = try #require(await peer.next())
        #expect(frame.header == FrameHeader(.renamed))
        #expect(try frame.decode(Renamed.self) == Renamed(session: "cottage"))
        #expect(await peer.next()?.header.kind == .pong)
        #expect(house.session.name == "cottage" && house.session.formerNames == ["house"])
        await house.end()
    }

    @Test func `a front knows its session's new name, and takes it from nobody too early`()
        async throws
    {
        let house = await House()
        let visitor = try await house.attach()
        house.session.rename(to: "cottage")
        #expect(await settles { visitor.attached?.session == "cottage" })
        #expect(try await visitor.room(1).double(2) == 4)
        await house.end()
        var other: Visitor?
        let worker = try RawPeer { other = Visitor($0) }
        #expect(await worker.next()?.header.kind == .hello)
        worker.send(FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        #expect(await worker.next()?.header.kind == .attach)
        worker.send(FrameHeader(.renamed), Renamed(session: "b"))
        await other?.waitForEnd()
        #expect(other?.lines.last?.contains("renamed") == true)
    }

    @Test func `former names are kept within their limit, each once`() async throws {
        let house = await House()
        for number in 1...SessionHost.formerNamesMax { house.session.rename(to: "n\(number)") }
        #expect(house.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(house.session.formerNames.first == "house")
        house.session.rename(to: "house")
        #expect(house.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(!house.session.formerNames.contains("house"))
        house.session.rename(to: "n1")
        house.session.rename(to: "new")
        #expect(house.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(house.session.formerNames.suffix(2) == ["house", "n1"])
        await house.end()
    }
}
