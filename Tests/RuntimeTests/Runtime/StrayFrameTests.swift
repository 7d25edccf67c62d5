// StrayFrameTests: frames that are well formed and come where nobody waits for them.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private func mount(_ node: UInt32) throws -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(
            Transition([
                .mount(
                    Mount(
                        node: node, parent: 0, slot: "", presentation: "embed", feature: "room",
                        arguments: [0xA0], states: []))
            ]))
        return writer.copyBytes()
    }

    @Test func `a front is not shown a transition of another epoch`() async throws {
        let worker = try await RawWorker(window: 1)
        worker.peer.send(FrameHeader(.transition, epoch: 2), payload: try mount(5))
        worker.peer.send(FrameHeader(.transition, epoch: 1), payload: try mount(6))
        await worker.viewer.journal.wait(for: "mount 6")
        #expect(worker.viewer.lines == ["attached to raw", "snapshot: ", "mount 6"])
        worker.peer.channel.close()
        await worker.viewer.waitForEnd()
    }

    @Test func `a front is attached once on a connection`() async throws {
        let worker = try await RawWorker(window: 1)
        worker.peer.send(
            FrameHeader(.attached),
            Attached(
                app: "raw", session: "other", front: 2, epoch: 2, window: 9, isResumed: false))
        let frame = try #require(await worker.peer.next())
        #expect(frame.header.kind == .goodbye)
        #expect(try frame.decode(Refusal.self).code == .protocolViolation)
        await worker.viewer.waitForEnd()
        #expect(worker.viewer.attached?.session == "raw")
    }

    @Test func `a pong that nobody waits for changes nothing, on either side`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        peer.send(FrameHeader(.pong, sequence: 5), true)
        peer.send(FrameHeader(.ping, sequence: 6))
        #expect(await peer.next()?.header == FrameHeader(.pong, sequence: 6))
        peer.channel.close()
        await setup.end()

        let worker = try await RawWorker(window: 1)
        worker.peer.send(FrameHeader(.pong, sequence: 5), true)
        worker.peer.send(FrameHeader(.ping, sequence: 6))
        #expect(await worker.peer.next()?.header == FrameHeader(.pong, sequence: 6))
        worker.peer.channel.close()
        await worker.viewer.waitForEnd()
    }
}
