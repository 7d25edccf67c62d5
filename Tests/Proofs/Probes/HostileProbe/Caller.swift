// Caller: a connection that sends any bytes, and sees what comes of it.

import NapkinProtocol
import ProofSupport

/// One connection to napkind, or to a worker by a ticket.
final class Caller {
    /// Bytes of a refusal's, a goodbye's or a fault's payload. Whoever is refused is told in a few
    /// sentences, and not what it has sent itself.
    static let refusalBytesMax = 4096 + 128
    private static let barrier = UInt64.max - 1

    private let peer: RawPeer
    private var decoder = FrameDecoder(limit: Limits.frameBytesMax)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 8)
    private var hasHeardGoodbye = false
    /// Told of each frame.
    var received: (FrameHeader, UnsafeRawBufferPointer) throws -> Void = { _, _ in }

    /// Connects, and says hello, unless the role is `nil`.
    init(_ path: String, as role: PeerRole? = nil, ticket: String? = nil) throws {
        peer = try RawPeer(path)
        guard let role else { return }
        send(FrameHeader(.hello), Payloads.hello(role: role, ticket: ticket))
        guard try until({ $0.kind == .welcome }) else {
            throw Failure("a hello was not welcome")
        }
    }

    deinit { buffer.deallocate() }

    func send(_ bytes: [UInt8]) { peer.send(bytes) }

    func send(_ header: FrameHeader, _ payload: [UInt8] = []) {
        send(Oversize.frame(header, payload))
    }

    /// Returns when all that was sent has been read, or the connection has ended; whether it
    /// stands.
    @discardableResult
    func settles() throws -> Bool {
        send(FrameHeader(.ping, sequence: Self.barrier))
        return try until { $0.kind == .pong && $0.sequence == Self.barrier }
    }

    /// Reads until a frame fits; false when the connection has ended before.
    @discardableResult
    func until(_ fits: (FrameHeader) throws -> Bool) throws -> Bool {
        var hasCome = false
        while !hasCome {
            guard let count = peer.read(into: buffer) else {
                throw Failure("neither an answer nor an end")
            }
            if count == 0 { return false }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while decoder.isHolding || !rest.isEmpty, let frame = try decoder.next(&rest) {
                try check(frame)
                try received(frame.header, frame.payload)
                if try fits(frame.header) { hasCome = true }
            }
        }
        return true
    }

    private func check(_ frame: Frame) throws {
        let kind = frame.header.kind
        if [.refused, .goodbye, .fault].contains(kind), frame.payload.count > Self.refusalBytesMax {
            throw Failure("a \(kind) frame has \(frame.payload.count) bytes")
        }
        try Failure.unless(!hasHeardGoodbye, "a \(kind) frame after the goodbye")
        hasHeardGoodbye = kind == .goodbye
    }

    /// Returns when the other side has closed, whatever it says before.
    func ends() throws {
        try until { _ in false }
        close()
    }

    /// Closes before what has come has been read.
    func close() { peer.close() }
}
