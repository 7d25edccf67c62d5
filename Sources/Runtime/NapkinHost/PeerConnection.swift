// PeerConnection: a connection to napkind from a front, a tool, or a returning worker.
//
// Ownership  owned by the server until the link ends or is handed to a worker's owner.

import Glibc
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

@MainActor
final class PeerConnection {
    // Created last in `init`, because it takes `self` as its delegate.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var link: Link!
    private weak var server: RequestServer?
    /// The peer's process, user and group, kept after the connection has ended.
    let peer: PeerCredentials?

    init(server: RequestServer, channel: Channel) {
        self.server = server
        peer = channel.peer
        link = Link(
            channel: channel,
            role: .acceptor(.napkind, server: RequestServer.greeting, pid: getpid()),
            delegate: self)
    }

    private func opened(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let open = payload.decoded(Open.self) else {
            return link.violate("an unreadable open frame")
        }
        answer(header) { [link, peer] (handler) async throws(Refusal) in
            link?.send(
                FrameHeader(.redirect, sequence: header.sequence),
                value: try await handler.open(open, pid: peer?.processID ?? 0))
        }
    }

    private func queried(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let query = payload.decoded(Query.self) else {
            guard link.keepsUp() else { return }
            let refusal = Refusal(.badRequest, "napkind does not know this query; is it older?")
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        answer(header) { [link] (handler) async throws(Refusal) in
            let piece = try await handler.answer(query)
            let header = FrameHeader(.answer, node: piece.cursor, sequence: header.sequence)
            do throws(CBORError) {
                try link?.send(header) { (writer) throws(CBORError) in writer.append(piece.bytes) }
            } catch {
                throw Refusal(.overloaded, error.detail)
            }
        }
    }

    private func answer(
        _ header: FrameHeader,
        _ work: @escaping @MainActor (any RequestHandler) async throws(Refusal) -> Void
    ) {
        guard let server, let handler = server.handler, link.keepsUp() else { return }
        let pid = link.peer?.processID ?? 0
        guard server.mayRequest(pid) else {
            let refusal = Refusal(
                .overloaded,
                "more than \(Limits.requestsMax) requests of this process are open; wait for "
                    + "their answers")
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        Task.immediate {
            defer { server.requestEnded(pid) }
            do throws(Refusal) {
                try await work(handler)
            } catch {
                link.send(FrameHeader(.refused, sequence: header.sequence), value: error)
            }
        }
    }
}

extension PeerConnection: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        link.refusalForStrangers(at: "napkind")
    }

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
            server?.handler?.registered(link, register)
            if link.delegate !== self { server?.remove(self) }
        case (.pong, _):
            break
        default:
            link.violate("a \(header.kind) frame where none is due")
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        server?.ended(self, end)
    }
}
