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
}
