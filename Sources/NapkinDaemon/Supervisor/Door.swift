// Door: one peer that is connected to napkind: a front, a tool, or a worker that comes back.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the daemon until the link ends or is handed to a supervisor.

import Glibc
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Reads the requests of one peer.
@MainActor
final class Door {
    // `init` makes it last, since it takes `self` for its delegate.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var link: Link!
    private weak var daemon: Daemon?
    /// Whose process it is; known also when the connection has ended.
    let peer: PeerCredentials?
    /// Requests that have not been answered.
    private var requests = 0

    init(daemon: Daemon, channel: Channel) {
        self.daemon = daemon
        peer = channel.peer
        link = Link(
            channel: channel,
            role: .acceptor(.napkind, server: DaemonName.server, pid: getpid()),
            delegate: self)
    }

    private func opened(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let open = payload.decoded(Open.self) else {
            return link.violate("an unreadable open frame")
        }
        answer(header) { [link] (daemon) async throws(Refusal) in
            link?.send(
                FrameHeader(.redirect, sequence: header.sequence),
                value: try await daemon.open(open))
        }
    }

    private func queried(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let query = payload.decoded(Query.self) else {
            guard link.keepsUp() else { return }
            let refusal = Refusal(.badRequest, "napkind does not know this query; is it older?")
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        answer(header) { [link] (daemon) async throws(Refusal) in
            let answer = try await daemon.answer(query)
            do throws(CBORError) {
                try link?.send(FrameHeader(.answer, sequence: header.sequence)) {
                    (writer) throws(CBORError) in writer.append(answer)
                }
            } catch {
                throw Refusal(.overloaded, error.detail)
            }
        }
    }

    private func answer(
        _ header: FrameHeader,
        _ work: @escaping @MainActor (Daemon) async throws(Refusal) -> Void
    ) {
        guard let daemon, link.keepsUp() else { return }
        guard requests < Limits.requestsMax else {
            let refusal = Refusal(
                .overloaded,
                "more than \(Limits.requestsMax) requests are open; wait for their answers")
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        requests += 1
        Task.immediate {
            defer { requests -= 1 }
            do throws(Refusal) {
                try await work(daemon)
            } catch {
                link.send(FrameHeader(.refused, sequence: header.sequence), value: error)
            }
        }
    }
}

extension Door: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        link.refusalForStrangers(at: "napkind")
    }

    func linkEstablished(_ link: Link) {}

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        switch (header.kind, link.hello?.role) {
        case (.open, .front):
            opened(header, payload)
        case (.query, .front), (.query, .tool):
            queried(header, payload)
        case (.register, .worker):
            guard let register = payload.decoded(Register.self), register.refusal == nil,
                register.pid == peer?.processID
            else { return link.violate("a register frame that does not fit its process") }
            daemon?.registered(link, register)
            if link.delegate !== self { daemon?.left(self) }
        case (.pong, _):
            break
        default:
            link.violate("a \(header.kind) frame where none is due")
        }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {
        daemon?.ended(self, end)
    }
}
