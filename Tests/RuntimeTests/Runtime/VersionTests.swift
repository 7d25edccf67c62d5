// VersionTests: peers that are simulated to be older and newer, over real sockets.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A payload with a key that no version of today knows.
    private static func withLaterKey(_ value: some Encodable) throws -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(value)
        let bytes = writer.copyBytes()
        try #require(bytes[0] >> 5 == 5 && bytes[0] & 0x1F < 23, "no short map")
        // "later": {"a": [1, null]}, in front of the others.
        let later: [UInt8] = [0x65] + Array("later".utf8) + [0xA1, 0x61, 0x61, 0x82, 0x01, 0xF6]
        return [bytes[0] + 1] + later + bytes[1...]
    }

    /// A newer front, attached to a worker of today by frames with later keys.
    private func newer(_ setup: SessionSetup) async throws -> FramePeer {
        let peer = try FramePeer { setup.admit($0) }
        let hello = Hello(newest: ProtocolVersion(1, 7), role: .front, client: "raw 2")
        peer.send(FrameHeader(.hello), payload: try Self.withLaterKey(hello))
        peer.send(FrameHeader(.attach), payload: try Self.withLaterKey(Attach()))
        let welcome = try #require(await peer.next())
        #expect(try welcome.decode(Welcome.self).version == ProtocolVersion(1, 0))
        for kind in [FrameKind.attached, .transition] {
            #expect(await peer.next()?.header.kind == kind)
        }
        return peer
    }

    @Test func `a newer front is met with this version, and its later keys are ignored`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await newer(setup)
        let hear = MethodID(key: "hear(_:)").rawValue
        peer.send(
            FrameHeader(.event, node: 1, epoch: SessionSetup.epoch, sequence: 1, method: hear), 5)
        #expect(await peer.next()?.header.kind == .reply)
        let open = OpenURL(url: "house://cellar")
        peer.send(FrameHeader(.openURL, sequence: 1), payload: try Self.withLaterKey(open))
        #expect(await peer.next()?.header.kind == .workflowEnded)
        await setup.end()
    }

    @Test func `a front ignores a newer worker's later keys`() async throws {
        var viewer: Viewer?
        let worker = try FramePeer { viewer = Viewer($0) }
        #expect(await worker.next()?.header.kind == .hello)
        let welcome = Welcome(version: .current, server: "raw", pid: 1)
        worker.send(FrameHeader(.welcome), payload: try Self.withLaterKey(welcome))
        #expect(await worker.next()?.header.kind == .attach)
        let attached = Attached(
            app: "a", session: "a", front: 1, epoch: 5, window: 4, isResumed: false)
        worker.send(FrameHeader(.attached), payload: try Self.withLaterKey(attached))
        worker.sendSnapshot(epoch: 5)
        await viewer?.waitForSnapshot()
        worker.channel.close()
        await viewer?.waitForEnd()
    }
}
