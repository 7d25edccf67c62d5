// ChannelTests: what two ends of a socket see of each other.
//
// Isolation  @MainActor (main queue, loop embedded).

import Foundation
import NapkinTransport
import TestSupport
import Testing

extension TransportTests {
    @Test func `bytes written at one end arrive at the other`() async throws {
        let connection = try Connection()
        connection.near.write("hello")
        #expect(await connection.farRecorder.receive(5) == Array("hello".utf8))
        connection.far.write("and back")
        #expect(await connection.nearRecorder.receive(8) == Array("and back".utf8))
        await connection.close()
    }

    /// In a process of its own: other targets' tests open handles of the same loop meanwhile.
    @Test func `no handle is left after everything was closed`() async throws {
        await #expect(processExitsWith: .success) { @MainActor in
            let connection = try Connection()
            let timer = LoopTimer(after: .seconds(3600)) {}
            let watcher = try SignalWatcher(SIGUSR2) {}
            #expect(Loop.shared.liveHandles == 4)
            timer.cancel()
            watcher.cancel()
            await connection.close()
            await handlesClosed()
            // The turn's own timer closes after it has fired.
            await handlesClosed()
            #expect(Loop.shared.liveHandles <= 1)
        }
    }

    @Test func `a channel that nobody keeps is kept by the loop until it closes`() async throws {
        weak var seen: Channel?
        let recorder: Recorder
        let far: Channel
        do {
            let connection = try Connection()
            seen = connection.near
            recorder = connection.nearRecorder
            far = connection.far
        }
        far.write("x")
        _ = await recorder.receive(1)
        #expect(seen != nil)
        seen?.close()
        far.close()
        await recorder.closed.wait()
        await handlesClosed()
        #expect(seen == nil)
    }

    @Test func `a delegate that is replaced while it is told of bytes lives until it has returned`()
        async throws
    {
        let connection = try Connection()
        let heard = Event<Bool>()
        weak var seen: Predecessor?
        do {
            let heir = connection.nearRecorder
            let predecessor = Predecessor { channel in
                channel.delegate = nil
                channel.delegate = heir
                heard.happen(seen != nil)
            }
            connection.near.delegate = predecessor
            seen = predecessor
        }
        connection.far.write("x")
        #expect(await heard.wait())
        #expect(seen == nil)
        connection.far.write("y")
        #expect(await connection.nearRecorder.receive(1) == Array("y".utf8))
        await connection.close()
    }

    @Test func `a half-closed peer can still be written to`() async throws {
        let connection = try Connection()
        connection.near.write("question")
        connection.near.shutdownOutput()
        await connection.farRecorder.ended.wait()
        #expect(connection.farRecorder.bytes == Array("question".utf8))
        connection.far.write("answer")
        #expect(await connection.nearRecorder.receive(6) == Array("answer".utf8))
        connection.near.write("dropped")
        #expect(connection.near.pendingBytes == 0)
        await connection.close()
        #expect(connection.farRecorder.calls == ["end", "close"])
    }

    @Test func `what a slow reader cannot take is queued and arrives in order`() async throws {
        let connection = try Connection(reading: false)
        var sent: [UInt8] = []
        for block in 0..<200 {
            let bytes = (0..<10_007).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ block) }
            connection.near.write(bytes)
            sent += bytes
        }
        #expect(connection.near.pendingBytes > 1_000_000)
        #expect(connection.nearRecorder.calls.isEmpty)
        connection.near.shutdownOutput()
        connection.far.startReading()
        await connection.farRecorder.ended.wait()
        #expect(connection.farRecorder.bytes == sent)
        await connection.nearRecorder.drained.wait()
        #expect(connection.near.pendingBytes == 0)
        #expect(connection.nearRecorder.calls == ["drain"])
        await connection.close()
    }

    @Test func `a reader that stops stops, and goes on where it was`() async throws {
        let connection = try Connection()
        connection.farRecorder.onRead = { connection.far.stopReading() }
        connection.near.write([UInt8](repeating: 7, count: 150_000))
        _ = await connection.farRecorder.receive(1)
        await handlesClosed()
        #expect(connection.farRecorder.bytes.count <= 65_536)
        connection.farRecorder.onRead = nil
        connection.far.startReading()
        #expect(await connection.farRecorder.receive(150_000).count == 150_000)
        await connection.close()
    }

    @Test func `closing with writes pending drops them and closes once`() async throws {
        let connection = try Connection(reading: false)
        connection.near.write([UInt8](repeating: 1, count: 4_000_000))
        #expect(connection.near.pendingBytes > 0)
        connection.near.close()
        connection.near.close()
        #expect(connection.near.pendingBytes == 0)
        connection.near.write("too late")
        await connection.nearRecorder.closed.wait()
        #expect(connection.nearRecorder.calls == ["close"])
        connection.far.startReading()
        await connection.farRecorder.ended.wait()
        await connection.close()
        await handlesClosed()
        #expect(connection.nearRecorder.closes == 1)
    }

    @Test func `a channel may be closed from within its own read`() async throws {
        let connection = try Connection()
        connection.farRecorder.onRead = { connection.far.close() }
        connection.near.write("x")
        await connection.farRecorder.closed.wait()
        await connection.nearRecorder.ended.wait()
        await connection.close()
        #expect(connection.farRecorder.calls == ["close"])
    }

    @Test func `writing to a peer that is gone fails after what it sent was read`() async throws {
        let connection = try Connection(reading: false)
        connection.far.write("last words")
        await handlesClosed()
        connection.far.close()
        await connection.farRecorder.closed.wait()
        connection.near.startReading()
        connection.near.write("anyone?")
        #expect(await connection.nearRecorder.failed.wait().code == "EPIPE")
        await connection.nearRecorder.closed.wait()
        #expect(connection.nearRecorder.bytes == Array("last words".utf8))
        #expect(connection.nearRecorder.calls == ["fail", "close"])
        await handlesClosed()
    }

    @Test func `a channel that does not read fails at its next write`() async throws {
        let connection = try Connection(reading: false)
        connection.far.close()
        await connection.farRecorder.closed.wait()
        connection.near.write("anyone?")
        #expect(await connection.nearRecorder.failed.wait().code == "EPIPE")
        await connection.nearRecorder.closed.wait()
    }

    @Test func `a peer that closes with bytes unread is seen as a reset`() async throws {
        let connection = try Connection(reading: false)
        connection.near.write("unread")
        await handlesClosed()
        connection.far.close()
        connection.near.startReading()
        #expect(await connection.nearRecorder.failed.wait().code == "ECONNRESET")
        await connection.nearRecorder.closed.wait()
    }

    @Test func `the peer of a pair is this process`() async throws {
        let connection = try Connection(reading: false)
        let peer = try #require(connection.near.peer)
        #expect(peer.processID == getpid())
        #expect(peer.userID == geteuid())
        #expect(peer.groupID == getegid())
        await connection.close()
        #expect(connection.near.peer == nil)
    }

    @Test func `only a connected Unix socket can be adopted`() throws {
        let directory = TemporaryDirectory()
        let listening = try Acceptor.listeningDescriptor(at: directory("l.sock"))
        defer { close(listening) }
        #expect { try Channel.adopt(descriptor: listening) } throws: { hasCode($0, "EINVAL") }
        #expect { try Channel.adopt(descriptor: 9999) } throws: { hasCode($0, "EBADF") }
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        #expect { try Channel.adopt(descriptor: null) } throws: { hasCode($0, "ENOTSOCK") }
    }
}

func hasCode(_ error: any Error, _ code: String) -> Bool {
    (error as? TransportError)?.code == code
}

/// Hears of bytes once, and is kept by its channel alone.
@MainActor
private final class Predecessor: ChannelDelegate {
    private let told: (Channel) -> Void

    init(_ told: @escaping (Channel) -> Void) { self.told = told }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) { told(channel) }
    func channelDidReachEnd(_ channel: Channel) {}
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) {}
    func channelDidClose(_ channel: Channel) {}
}
