// LobbyLink: a front that is connected to a worker and not attached yet.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the worker's lobby until it joins a session or leaves.

import Glibc
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Checks the ticket, waits for the attach frame.
@MainActor
final class LobbyLink {
    // `init` makes it last, since it takes `self` for its delegate.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var link: Link!
    private weak var worker: WorkerHost?
    private var session: String?
    private var hasAsked = false

    init(worker: WorkerHost, channel: Channel) {
        self.worker = worker
        link = Link(
            channel: channel, role: .acceptor(server: "\(worker.app.id) worker", pid: getpid()),
            delegate: self)
    }
}

extension LobbyLink: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        if let refusal = link.refusalForStrangers(at: "the worker") { return refusal }
        session = hello.ticket.flatMap { worker?.redeem($0) }
        guard session == nil else { return nil }
        return Refusal(
            .badTicket, "the ticket is missing, used, too old or unknown; ask napkind for another")
    }

    func linkEstablished(_ link: Link) {}

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        if header.kind == .pong { return }
        guard header.kind == .attach, !hasAsked, let session, let worker else {
            return link.violate(
                "a frame of the kind \(header.kind) before the front was attached")
        }
        guard let attach = payload.decoded(Attach.self) else {
            return link.violate("an unreadable attach frame")
        }
        hasAsked = true
        Task.immediate { await worker.join(self, attach, session: session) }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {
        worker?.left(self)
    }
}
