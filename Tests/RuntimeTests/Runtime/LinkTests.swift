// LinkTests: the handshake, and how a link ends that is not kept to the rules.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A raw peer that a session has accepted.
    private func knock(at setup: SessionSetup) throws -> (RawPeer, Journal) {
        var keeper: AttachReceiver?
        let peer = try RawPeer { keeper = setup.admit($0) }
        return (peer, try #require(keeper).journal)
    }

    /// The refusal that is the last thing the peer hears.
    private func lastWords(_ peer: RawPeer, _ kind: FrameKind) async throws -> Refusal {
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == kind)
        #expect(await peer.next() == nil)
        return try frame.decode()
    }

    @Test func `a front of another version is told so and kept out`() async throws {
        let setup = await SessionSetup()
        let (peer, journal) = try knock(at: setup)
        let version = ProtocolVersion(9, 0)
        peer.send(
            FrameHeader(.hello),
            Hello(role: .front, client: "future", oldest: version, newest: version))
        let refusal = try await lastWords(peer, .refused)
        #expect(refusal.code == .version)
        #expect(journal.lines == ["ended: the other side broke the protocol: \(refusal)"])
        await setup.end()
    }

    @Test func `a front attaches with its hello, however much it has to say`() async throws {
        let names = (0..<400).map { ("a feature with a long name \($0)", UInt64($0)) }
        let attach = Attach(contracts: Dictionary(uniqueKeysWithValues: names))
        var viewer: Viewer?
        let peer = try RawPeer { viewer = Viewer($0, attach) }
        #expect(await peer.next()?.header.kind == .hello)
        let frame = try #require(await peer.next())
        let sent: Attach = try frame.decode()
        #expect(sent == attach)
        peer.send(FrameHeader(.refused), Refusal(.badTicket, "ask for another"))
        await viewer?.waitForEnd()
    }

    @Test func `a link that rests keeps no memory for what it sends`() async throws {
        let names = (0..<400).map { ("a feature with a long name \($0)", UInt64($0)) }
        let attach = Attach(contracts: Dictionary(uniqueKeysWithValues: names))
        var viewer: Viewer?
        let peer = try RawPeer { viewer = Viewer($0, attach) }
        #expect(await peer.next()?.header.kind == .hello)
        #expect(await peer.next()?.header.kind == .attach)
        let link = try #require(viewer?.front.link)
        #expect(link.output.capacity > LinkMemory.smallBytesMax)
        LinkMemory.shared.look()
        #expect(link.output.capacity > LinkMemory.smallBytesMax)
        LinkMemory.shared.look()
        #expect(link.output.capacity == 0)
        // A little is freed at once.
        link.send(encoded: try FrameHeader(.ping, sequence: 1).encoded(true))
        #expect(link.output.capacity > 0)
        await Loop.shared.flushed()
        #expect(link.output.capacity == 0)
        peer.channel.close()
        await viewer?.waitForEnd()
    }

    @Test func `what comes with a hello is read after it`() async throws {
        let setup = await SessionSetup()
        let (peer, _) = try knock(at: setup)
        let hello = try FrameHeader(.hello).encoded(Hello(role: .front, client: "hasty"))
        peer.send(hello + (try FrameHeader(.attach).encoded(Attach())))
        #expect(await peer.next()?.header.kind == .welcome)
        #expect(await peer.next()?.header.kind == .attached)
        await setup.end()
    }

    @Test func `a front hears why it was kept out`() async throws {
        var viewer: Viewer?
        let peer = try RawPeer { viewer = Viewer($0) }
        #expect(await peer.next()?.header.kind == .hello)
        #expect(await peer.next()?.header.kind == .attach)
        peer.send(FrameHeader(.refused), Refusal(.badTicket, "ask for another"))
        await viewer?.waitForEnd()
        #expect(viewer?.lines == ["session ended: ask for another"])
        #expect(await peer.next() == nil)
    }

    @Test func `a front does not take a version that it did not offer`() async throws {
        var viewer: Viewer?
        let peer = try RawPeer { viewer = Viewer($0) }
        #expect(await peer.next()?.header.kind == .hello)
        #expect(await peer.next()?.header.kind == .attach)
        let welcome = Welcome(version: ProtocolVersion(9, 0), server: "future", pid: 1)
        peer.send(FrameHeader(.welcome), welcome)
        #expect(try await lastWords(peer, .refused).code == .protocolViolation)
        await viewer?.waitForEnd()
        #expect(viewer?.lines.count == 1)
    }

    @Test(arguments: [
        [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 0, count: 64),
        Array("GET / HTTP/1.1\r\nHost: napkin\r\n\r\n".utf8),
    ])
    func `garbage in place of a handshake closes the link`(_ garbage: [UInt8]) async throws {
        let setup = await SessionSetup()
        let (peer, journal) = try knock(at: setup)
        peer.send(garbage)
        #expect(try await lastWords(peer, .refused).code == .protocolViolation)
        #expect(journal.lines.count == 1)
        await setup.end()
    }

    @Test func `nothing but a hello comes first`() async throws {
        let setup = await SessionSetup()
        let (peer, _) = try knock(at: setup)
        peer.send(FrameHeader(.attach), Attach())
        #expect(try await lastWords(peer, .refused).code == .protocolViolation)
        #expect(setup.session.fronts.isEmpty)
        await setup.end()
    }

    @Test func `garbage after the handshake is answered with a goodbye`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        peer.send([UInt8](repeating: 0xFF, count: 64))
        #expect(try await lastWords(peer, .goodbye).code == .protocolViolation)
        #expect(setup.session.fronts.isEmpty)
        await setup.end()
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

    @Test func `what follows a violation is not looked at`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        var writer = CBORWriter()
        try FrameHeader(.redirect).write(into: &writer)
        let event = FrameHeader(
            .event, node: 1, epoch: SessionSetup.epoch, sequence: 1,
            method: MethodID(key: "hear(_:)").rawValue)
        writer.append(try event.encoded(payload: [5]))
        peer.send(writer.copyBytes())
        _ = try await lastWords(peer, .goodbye)
        #expect(await setup.root.interactor.heard.isEmpty)
        await setup.end()
    }

    @Test func `a ping is answered with its number`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        peer.send(FrameHeader(.ping, sequence: 99))
        #expect(await peer.next()?.header == FrameHeader(.pong, sequence: 99))
        peer.channel.close()
        await setup.end()
    }

    @Test func `a front takes a goodbye for the end, and knows the reason`() async throws {
        let worker = try await RawWorker(window: 1)
        worker.peer.send(FrameHeader(.goodbye), Refusal(.shuttingDown, "good night"))
        await worker.viewer.waitForEnd()
        #expect(worker.viewer.lines.last == "session ended: good night")
        #expect(await worker.peer.next() == nil)
    }
}
