// EventTests: events from a front to a handler, and how they are answered.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// The fault that `body` throws; `nil` when it throws none.
@MainActor
func fault<T>(of body: @MainActor () async throws -> T) async -> RemoteFault? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? RemoteFault
    }
}

extension RuntimeTests {
    @Test func `an event returns its handler's value`() async throws {
        let setup = await SessionSetup()
        _ = await setup.attachLeft()
        let viewer = try await setup.attach()
        #expect(try await viewer.panel(1).double(21) == 42)
        #expect(try await viewer.panel(2).double(-1) == -2)
        #expect(viewer.front.outstandingEvents == 0)
        #expect(setup.session.runningHandlers == 0)
        await setup.end()
    }

    @Test func `an error of the handler arrives as the fault that reports it`() async throws {
        let setup = await SessionSetup()
        await setup.root.interactor.teach("burn") { _ in
            throw Mishap(description: "the roof burns")
        }
        await setup.root.interactor.teach("burn late") { _ in
            await letOthersRun()
            throw RemoteFault(.overloaded, "no more water")
        }
        let panel = try await setup.attach().panel(1)
        #expect(await fault { try await panel.act("burn") } == .init(.failed, "the roof burns"))
        let late = await fault { try await panel.act("burn late") }
        #expect(late == .init(.overloaded, "no more water"))
        await setup.end()
    }

    @Test func `S9: what the feature does not know, or cannot read, is unimplemented`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let port = viewer.port(1)
        let unknown = await fault {
            try await port.call(MethodID(rawValue: 0xABC)) { (_) throws(CBORError) in }
        }
        #expect(unknown?.code == .unimplemented)
        let unreadable = await fault {
            try await port.call(MethodID(key: "double(_:)")) { (writer) throws(CBORError) in
                try writer.write("two")
            }
        }
        #expect(unreadable?.code == .unimplemented)
        let unwritable = await fault {
            try await port.call(MethodID(key: "double(_:)")) { (_) throws(CBORError) in
                throw CBORError(.typeMismatch, "not today")
            }
        }
        #expect(unwritable?.code == .unimplemented)
        // None of them has cost a credit.
        #expect(try await viewer.panel(1).double(1) == 2)
        #expect(viewer.front.outstandingEvents == 0)
        await setup.end()
    }

    @Test func `an event to a node that is gone is refused and counted`() async throws {
        let setup = await SessionSetup()
        _ = await setup.attachLeft()
        let viewer = try await setup.attach()
        await setup.root.detach(setup.root.left)
        #expect(await fault { try await viewer.panel(2).double(1) }?.code == .gone)
        #expect(await fault { try await viewer.panel(99).double(1) }?.code == .gone)
        #expect(setup.session.fronts.map(\.refusedEvents) == [2])
        #expect(try await viewer.panel(1).double(1) == 2)
        await setup.end()
    }

    @Test func `an event for another life of the tree is refused`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let hear = MethodID(key: "hear(_:)").rawValue
        let epoch = SessionSetup.epoch
        peer.send(FrameHeader(.event, node: 1, epoch: epoch - 1, sequence: 1, method: hear), 5)
        #expect(try await peer.next()?.fault == "gone")
        peer.send(FrameHeader(.event, node: 1, epoch: epoch, sequence: 2, method: hear), 6)
        let reply = await peer.next()
        #expect(reply == RawFrame(header: FrameHeader(.reply, sequence: 2), payload: []))
        #expect(await setup.root.interactor.heard == [6])
        peer.channel.close()
        await setup.end()
    }

    @Test func `a read-only front sees and may not act`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach(Attach(isReadOnly: true))
        #expect(await fault { try await viewer.panel(1).double(1) }?.code == .refused)
        #expect(setup.session.fronts.map(\.refusedEvents) == [1])
        await setup.root.interactor.presenter.count(1)
        await viewer.journal.wait(for: "1 state count(1)")
        await setup.end()
    }

    @Test func `ten thousand events run in the order of their calls, within the window`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let (panel, front) = (viewer.panel(1), viewer.front)
        let most = Peak()
        let calls = (0..<10_000).map { number in
            dispatch {
                await panel.hear(number)
                most.note(front.outstandingEvents)
            }
        }
        #expect(front.outstandingEvents == Limits.eventWindow)
        for call in calls { await call.value }
        let isInOrder = await setup.root.interactor.heard.elementsEqual(0..<10_000)
        #expect(isInOrder)
        #expect(most.value == Limits.eventWindow)
        #expect(front.outstandingEvents == 0)
        #expect(viewer.lines.count == 2)
        await setup.end()
    }
}

/// The highest of the numbers that it was told.
@MainActor
final class Peak {
    private(set) var value = 0
    func note(_ number: Int) { value = max(value, number) }
}
