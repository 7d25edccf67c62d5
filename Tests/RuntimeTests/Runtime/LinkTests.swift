// LinkTests: the handshake, and how a link ends that is not kept to the rules.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// The refusal that is the last thing the peer hears.
    private func lastWords(_ peer: FramePeer, _ kind: FrameKind) async throws -> Refusal {
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == kind)
        #expect(await peer.next() == nil)
        return try frame.decode()
    }

    @Test func `a front attaches with its hello, however much it says, and hears why it may not`()
        async throws
    {
        let names = (0..<400).map { ("a feature with a long name \($0)", UInt64($0)) }
        let attach = Attach(contracts: Dictionary(uniqueKeysWithValues: names))
        var viewer: Viewer?
        let peer = try FramePeer { viewer = Viewer($0, attach) }
        #expect(await peer.next()?.header.kind == .hello)
        let frame = try #require(await peer.next())
        let sent: Attach = try frame.decode()
        #expect(sent == attach)
        peer.send(FrameHeader(.refused), Refusal(.badTicket, "ask for another"))
        await viewer?.waitForEnd()
        #expect(viewer?.lines == ["session ended: ask for another"])
    }

    @Test func `a link that rests keeps no memory for what it sends`() async throws {
        let names = (0..<400).map { ("a feature with a long name \($0)", UInt64($0)) }
        let attach = Attach(contracts: Dictionary(uniqueKeysWithValues: names))
        var viewer: Viewer?
        let peer = try FramePeer { viewer = Viewer($0, attach) }
        #expect(await peer.next()?.header.kind == .hello)
        #expect(await peer.next()?.header.kind == .attach)
        let link = try #require(viewer?.front.link)
        #expect(link.output.capacity > LinkWatch.smallBytesMax)
        LinkWatch.shared.check()
        #expect(link.output.capacity > LinkWatch.smallBytesMax)
        LinkWatch.shared.check()
        #expect(link.output.capacity == 0)
        // A little is freed at once.
        link.send(encoded: try FrameHeader(.ping, sequence: 1).encoded(true))
        #expect(link.output.capacity > 0)
        await Loop.shared.flushed()
        #expect(link.output.capacity == 0)
        peer.channel.close()
        await viewer?.waitForEnd()
    }

    @Test func `a frame where it makes no sense ends the link, on either side`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        peer.send(FrameHeader(.redirect), true)
        #expect(try await lastWords(peer, .goodbye).code == .protocolViolation)
        await setup.end()

        for (header, payload) in [(FrameHeader(.event), [UInt8]()), (.init(.transition), [0xFF])] {
            let worker = try await RawWorker(window: 1)
            worker.peer.send(header, payload: payload)
            #expect(try await lastWords(worker.peer, .goodbye).code == .protocolViolation)
            await worker.viewer.waitForEnd()
        }
    }
}
