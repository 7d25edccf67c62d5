// LargeTests: values at the limits, one below and one above, and frames that are announced.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Synchronization
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A text whose encoding has that many bytes: five of them are its head.
    private func picture(_ bytes: Int) -> String { String(repeating: "x", count: bytes - 5) }

    @Test(arguments: [-1, 0, 1])
    func `a state at its limit is shown, and one above is refused with its size`(
        beyond: Int
    ) async throws {
        let reports = Mutex<[String]>([])
        let former = Anomaly.onReport { anomaly in reports.withLock { $0.append("\(anomaly)") } }
        defer { Anomaly.onReport(former) }
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let presenter = setup.root.interactor.presenter
        await presenter.show("small")
        await presenter.show(picture(Limits.messageBytesMax + beyond))
        await presenter.tell("done")
        #expect(await settles { viewer.state("tell(_:)", of: 1) != nil })
        let shown = try #require(viewer.state("show(_:)", of: 1)).bytes.count
        #expect(shown == (beyond > 0 ? "small".utf8.count + 1 : Limits.messageBytesMax + beyond))
        let said = reports.withLock { $0 }
        #expect(said.count == max(0, beyond))
        if beyond > 0 {
            #expect(said[0].contains("\(Limits.messageBytesMax + 1) bytes"))
            #expect(said[0].contains("room"))
        }
        await setup.end()
    }

    @Test func `a tree with more than a frame of states is attached to, as a whole`() async throws {
        let setup = await SessionSetup()
        let left = await setup.attachLeft()
        for presenter in [setup.root.interactor.presenter, left.interactor.presenter] {
            await presenter.tell(picture(12 << 20))
            await presenter.show(picture(Limits.messageBytesMax))
            await presenter.count(1)
        }
        let viewer = try await setup.attach()
        // One snapshot, and no state by itself: nobody has seen half of it.
        #expect(viewer.lines.count == 2)
        for node: UInt32 in [1, 2] {
            #expect(viewer.state("tell(_:)", of: node)?.bytes.count == 12 << 20)
            #expect(viewer.state("show(_:)", of: node)?.bytes.count == Limits.messageBytesMax)
            #expect(viewer.state("count(_:)", of: node)?.bytes == [1])
        }
        #expect(try await viewer.panel(1).double(4) == 8)
        await setup.end()
    }

    @Test func `a stopped front has large states named, and not kept, for it`() async throws {
        let setup = await SessionSetup()
        await setup.root.interactor.presenter.tell(picture(Limits.messageBytesMax))
        await setup.root.interactor.presenter.show(picture(Limits.messageBytesMax))
        let peer = try FramePeer(sendBufferBytes: 4096) { setup.admit($0) }
        peer.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        #expect(await peer.next()?.header.kind == .welcome)
        peer.channel.stopReading()
        peer.send(FrameHeader(.attach), Attach())
        #expect(await settles { !setup.session.fronts.isEmpty })
        #expect(await settles { setup.session.fronts[0].link?.isSlow == true })
        let queues = try #require(setup.session.fronts.first).queues
        #expect(queues.states == 1)
        #expect(queues.orderedBytes < 1024)
        #expect(queues.socketBytes < 2 * Limits.messageBytesMax)
        await setup.end()
    }

    @Test func `questions past their limit are refused, and those before stay`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let presenter = setup.root.interactor.presenter
        let question = picture(Limits.askBytesMax / 2 - 1024)
        let open = (0..<2).map { _ in Task { try await presenter.confirm(question) } }
        #expect(await settles { setup.session.openQuestions == 2 })
        await #expect(throws: RemoteFault.self) { try await presenter.confirm(question) }
        #expect(await settles { viewer.asked.count == 2 })
        for id in viewer.asked { try viewer.answer(id, true) }
        for task in open { #expect(try await task.value) }
        // There is room again.
        let late = Task { try await presenter.confirm(question) }
        #expect(await settles { viewer.asked.count == 3 })
        try viewer.answer(viewer.asked[2], false)
        #expect(try await late.value == false)
        await setup.end()
    }
}
