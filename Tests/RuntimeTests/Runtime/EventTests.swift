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
}
