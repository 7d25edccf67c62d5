// LineRelay: the far end of a remote line: carries bytes between a stream and a host's sockets.
//
// Ownership  owns both channels of the stream, and one connection at a time.
// Invariant  at most `waitingBytesMax` and one read wait for either side; while they wait, the
//            other side is not read; follows one redirect; ends once.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinProtocol
package import NapkinTransport

@MainActor
package final class LineRelay {
    /// The bytes before the first frame. They prove that the line works and no shell wrote into it.
    static let greeting = Array("napkin relay 1\n".utf8)

    private static let waitingBytesMax = Limits.slowFrontBytes
    /// How long a server may take to end after the stream has. Chosen: it needs hardly any time.
    private static let endTime = Duration.seconds(Limits.handshakeSeconds)

    private let input: Channel
    private let output: Channel
    private var server: Channel?
    private var isRedirected = false
    /// The server has closed, and its last bytes have not reached the front yet.
    private var isOver = false
    private var decoder = FrameDecoder(limit: Limits.controlFrameBytesMax)
    private var deadline: LoopTimer?
    private var ended: CheckedContinuation<Result<Void, FrontError>, Never>?

    /// Relays until one side ends; throws if napkind or a worker cannot be reached.
    ///
    /// - Parameters:
    ///   - input: a pipe's end or a socket; the relay owns it from now on.
    ///   - output: another one, or another descriptor of the same socket.
    package static func run(
        to address: DaemonAddress, input: Int32, output: Int32
    ) async throws(FrontError) {
        let relay: LineRelay
        do throws(TransportError) {
            relay = LineRelay(try Channel.adopt(stream: input), try Channel.adopt(stream: output))
        } catch {
            throw FrontError(.badSocket, "a relay is for ssh, which runs it: \(error)")
        }
        let server = try await DaemonConnection.localChannel(to: address)
        greeting.withUnsafeBytes { relay.output.write($0) }
        try await withCheckedContinuation { continuation in
            relay.ended = continuation
            relay.input.delegate = relay
            relay.output.delegate = relay
            relay.begin(server)
        }.get()
    }

    private init(_ input: Channel, _ output: Channel) {
        (self.input, self.output) = (input, output)
    }

    private func begin(_ server: Channel) {
        self.server = server
        server.delegate = self
        server.startReading()
        input.startReading()
    }

    /// Connects to the worker. The front sends nothing for the worker before it has read the
    /// redirect, so none of the worker's bytes can have arrived yet.
    private func follow(_ redirect: Redirect) {
        isRedirected = true
        input.stopReading()
        server?.close()
        server = nil
        Task {
            do throws(FrontError) {
                begin(try await DaemonRoute.channel(to: redirect))
            } catch {
                finish(.failure(error))
            }
        }
    }

    private func finish(_ result: Result<Void, FrontError> = .success(())) {
        let ended = ended.take()
        deadline?.cancel()
        for channel in [input, output, server] { channel?.close() }
        Loop.keepingResumesOnLoop { ended?.resume(returning: result) }
    }

    /// Returns the bytes from napkind to forward to the front: all, or those up to a redirect.
    private func read(
        _ bytes: UnsafeRawBufferPointer
    ) -> (passed: UnsafeRawBufferPointer, redirect: Redirect?) {
        var rest = bytes
        do throws(FrameError) {
            while let frame = try decoder.next(&rest) {
                guard frame.header.kind == .redirect,
                    let redirect = frame.payload.decoded(Redirect.self)
                else { continue }
                let count = bytes.count - rest.count
                return (UnsafeRawBufferPointer(rebasing: bytes[..<count]), redirect)
            }
        } catch {
            // The front sees the same bytes, and ends the connection.
            isRedirected = true
        }
        return (bytes, nil)
    }
}

extension LineRelay: ChannelDelegate {
    package func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        if channel === input {
            server?.write(bytes)
            if let server, server.pendingBytes > Self.waitingBytesMax { input.stopReading() }
        } else if channel === server {
            let (passed, redirect) = isRedirected ? (bytes, nil) : read(bytes)
            output.write(passed)
            if output.pendingBytes > Self.waitingBytesMax { channel.stopReading() }
            if let redirect { follow(redirect) }
        }
    }

    package func channelDidDrain(_ channel: Channel) {
        if channel === server {
            input.startReading()
        } else if channel === output {
            if isOver { finish() } else { server?.startReading() }
        }
    }

    package func channelDidReachEnd(_ channel: Channel) {
        if channel === input {
            server?.shutdownOutput()
            deadline = LoopTimer(deadline: Self.endTime) { [weak self] in self?.finish() }
        } else if channel === server {
            serverEnded()
        }
    }

    /// Bytes that the server sent go to the front, even if an error ended the connection.
    private func serverEnded() {
        isOver = true
        if output.pendingBytes == 0 { finish() }
    }

    package func channel(_ channel: Channel, didFailWith error: TransportError) {}

    package func channelDidClose(_ channel: Channel) {
        if channel === server { serverEnded() }
        if channel === input || channel === output { finish() }
    }
}
