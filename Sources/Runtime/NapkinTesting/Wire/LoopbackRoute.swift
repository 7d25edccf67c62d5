// LoopbackRoute: connects a front to a session of the same process, over a socket.

import NapkinCoding
import NapkinFront
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Connects fronts to one session.
@MainActor
final class LoopbackRoute: FrontRoute {
    private let host: () -> SessionHost

    /// - Parameter host: returns the session at the time of a connection.
    init(_ host: @escaping () -> SessionHost) {
        self.host = host
    }

    func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
        do throws(TransportError) {
            let (near, descriptor) = try Channel.pair()
            ArrivingFront.admit(try Channel.adopt(descriptor: descriptor), to: host())
            return FrontPassage(channel: near, ticket: "loopback")
        } catch {
            throw FrontError(.disconnected, "no socket for the loopback: \(error)")
        }
    }
}

/// The session's side of a connection until the front asks to attach; kept by its link.
@MainActor
private final class ArrivingFront: LinkDelegate {
    private let host: SessionHost

    private init(_ host: SessionHost) {
        self.host = host
    }

    static func admit(_ channel: Channel, to host: SessionHost) {
        let role = ConnectionStateMachine.Role.acceptor(.worker, server: "test", pid: 1)
        Link(channel: channel, role: role).start(ArrivingFront(host))
    }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.kind == .attach else {
            return link.violate("a frame of the kind \(header.kind) before attach")
        }
        do {
            var reader = CBORReader(payload)
            host.join(link, try reader.read(Attach.self))
        } catch {
            link.violate("an unreadable attach frame: \(error)")
        }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {}
}
