// DetachTests: fronts that another client detaches, and what they and the others see of it.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// How a front's connection ended: `code: sentence`.
    private func goodbye(_ peer: FramePeer) async throws -> Refusal {
        while let frame = await peer.next() {
            if frame.header.kind == .goodbye { return try frame.decode(Refusal.self) }
        }
        throw Mishap(description: "no goodbye")
    }

    @Test func `all fronts are detached, also those that are away`() async throws {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        let away = try await setup.attach(as: front)
        setup.session.fronts.first?.link?.close()
        await away.waitForEnd()
        let here = [try await setup.attach(), try await setup.attach(Attach(isReadOnly: true))]
        #expect(setup.session.away.map(\.front) == [1])
        #expect(setup.session.detach(nil) == 3)
        #expect(setup.session.away.isEmpty)
        for viewer in here { await viewer.waitForEnd() }
        // It does not know yet, and is told when it comes back.
        let back = try setup.connect(as: front)
        await back.waitForEnd()
        #expect(back.attached == nil)
        #expect(back.lines.last?.contains("by another client, which has detached it") == true)
        #expect(setup.session.fronts.isEmpty)
        #expect(setup.session.detach(nil) == 0)
        front.close()
        await setup.end()
    }

    @Test func `a front that is detached is told in a code from which it does not come back`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        #expect(setup.session.detach(nil) == 1)
        let refusal = try await goodbye(peer)
        #expect(refusal.code == .detached)
        #expect(refusal.message.hasPrefix("detached from session 'house' by another client"))
        #expect(await peer.next() == nil)
        // Its old identity lets nobody in.
        let again = try FramePeer { setup.admit($0) }
        again.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        again.send(
            FrameHeader(.attach), Attach(previousFront: 1, previousEpoch: SessionSetup.epoch))
        #expect(try await goodbye(again).code == .detached)
        #expect(setup.session.fronts.isEmpty)
        await setup.end()
    }

    @Test func `what a detached front had sent is in doubt, and its handler goes on`() async throws
    {
        let setup = await SessionSetup()
        let (started, latch, finished) = (Latch(), Latch(), Latch())
        await setup.root.interactor.teach("work") { _ in
            await started.open()
            await latch.wait()
            await finished.open()
            return "done"
        }
        let front = FrontSession(client: "visitor")
        let viewer = try await setup.attach(as: front)
        let panel = viewer.panel(1)
        let work = Task.immediate { await fault { try await panel.act("work") } }
        await started.wait()
        #expect(setup.session.detach(nil) == 1)
        await viewer.waitForEnd()
        // As a front does that is told not to come back.
        front.close()
        #expect(await work.value?.code == .unknown)
        latch.open()
        await finished.wait()
        #expect(await settles { setup.session.runningHandlers == 0 })
        await setup.end()
    }

    @Test func `a detached front is shown and asked nothing more, while it takes its last bytes`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let front = try #require(setup.session.fronts.first)
        let presenter = setup.root.interactor.presenter
        peer.channel.stopReading()
        await presenter.show(String(repeating: "x", count: 2_000_000))
        #expect(await settles { front.link?.isSlow == true })
        #expect(setup.session.detach(nil) == 1)
        // Nobody is attached, although the connection still stands.
        await presenter.flash("unseen")
        #expect(setup.session.stage.unseenEffects == 1)
        #expect(await fault { try await presenter.confirm("there?") }?.code == .noFront)
        peer.channel.startReading()
        #expect(try await goodbye(peer).code == .detached)
        await setup.end()
    }

    @Test func `a front knows its session's new name, and takes it from nobody too early`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        setup.session.rename(to: "cottage")
        #expect(await settles { viewer.attached?.session == "cottage" })
        #expect(try await viewer.panel(1).double(2) == 4)
        await setup.end()
        var other: Viewer?
        let worker = try FramePeer { other = Viewer($0) }
        #expect(await worker.next()?.header.kind == .hello)
        worker.send(FrameHeader(.welcome), Welcome(version: .current, server: "raw", pid: 1))
        #expect(await worker.next()?.header.kind == .attach)
        worker.send(FrameHeader(.renamed), Renamed(session: "b"))
        await other?.waitForEnd()
        #expect(other?.lines.last?.contains("renamed") == true)
    }

    @Test func `former names are kept within their limit, each once`() async throws {
        let setup = await SessionSetup()
        for number in 1...SessionHost.formerNamesMax { setup.session.rename(to: "n\(number)") }
        #expect(setup.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(setup.session.formerNames.first == "house")
        setup.session.rename(to: "house")
        #expect(setup.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(!setup.session.formerNames.contains("house"))
        setup.session.rename(to: "n1")
        setup.session.rename(to: "new")
        #expect(setup.session.formerNames.count == SessionHost.formerNamesMax)
        #expect(setup.session.formerNames.suffix(2) == ["house", "n1"])
        await setup.end()
    }
}
