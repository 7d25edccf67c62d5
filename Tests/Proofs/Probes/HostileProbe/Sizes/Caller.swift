// Caller: a connection that sends any bytes, and sees what comes of it.

import NapkinProtocol
import ProofSupport

/// One connection to napkind, or to a worker by a ticket.
final class Caller {
    /// Bytes of a refusal's, a goodbye's or a fault's payload. Whoever is refused is told in a few
    /// sentences, and not what it has sent itself.
    static let refusalBytesMax = 4096 + 128
    private static let barrier = UInt64.max - 1

    private let wire: Wire

    /// Connects, and says hello, unless the role is `nil`.
    init(_ path: String, as role: PeerRole? = nil, ticket: String? = nil) throws {
        wire = try Wire(path)
        guard let role else { return }
        send(Oversize.frame(FrameHeader(.hello), Payloads.hello(role: role, ticket: ticket)))
        guard try until({ $0.kind == .welcome }) else {
            throw Failure("a hello was not welcome")
        }
    }

    func send(_ bytes: [UInt8]) { wire.send(bytes) }

    /// Returns when all that was sent has been read, or the connection has ended; whether it
    /// stands.
    @discardableResult
    func settles() throws -> Bool {
        send(Oversize.frame(FrameHeader(.ping, sequence: Self.barrier), []))
        return try until { $0.kind == .pong && $0.sequence == Self.barrier }
    }

    /// Reads until a frame fits; false when the connection has ended before.
    func until(_ fits: (FrameHeader) throws -> Bool) throws -> Bool {
        var hasCome = false
        while !hasCome {
            let arrival = try wire.read { header, payload in
                if [.refused, .goodbye, .fault].contains(header.kind),
                    payload.count > Self.refusalBytesMax
                {
                    throw Failure(
                        "a \(header.kind) frame has \(payload.count) bytes")
                }
                if try fits(header) { hasCome = true }
            }
            switch arrival {
            case .frames: break
            case .end: return hasCome
            case .nothing: throw Failure("neither an answer nor an end")
            }
        }
        return true
    }

    func close() { wire.close() }
}
