// ArrivingFront: a front that is connected to a worker and not yet attached.
//
// Ownership  owned by the worker host until it joins a session or leaves.

import Glibc
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Checks the ticket, waits for the attach frame, and for the contract if the worker requests it.
@MainActor
final class ArrivingFront {
    private enum Phase {
        case unattached
        /// The session is being created, or the front is being admitted.
        case joining
        case asked(Attach, features: [String])
    }

    // Created last in `init`, because it takes `self` as its delegate.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var link: Link!
    private weak var worker: WorkerHost?
    /// The peer's process, user and group, kept after the connection has ended.
    let peer: PeerCredentials?
    /// The session named by the ticket.
    private(set) var session: String?
    private var phase = Phase.unattached
    /// Limits the wait for the front's next frame.
    private var deadline: LoopTimer?

    init(worker: WorkerHost, channel: Channel) {
        self.worker = worker
        peer = channel.peer
        link = Link(
            channel: channel,
            role: .acceptor(.worker, server: "\(worker.app.id) worker", pid: getpid()),
            delegate: self)
    }

    /// Follows the renaming of the session that the front is about to join.
    func sessionRenamed(_ former: String, to name: String) {
        if session == former { session = name }
    }

    /// Limits the wait: a front that has a ticket and sends nothing more would be kept forever.
    private func expect(_ kind: String, _ seconds: Int) {
        deadline = LoopTimer(deadline: .seconds(seconds)) { [weak self] in
            self?.link.violate("no \(kind) within \(seconds) s")
        }
    }

    private func contractReceived(
        _ payload: UnsafeRawBufferPointer, _ attach: Attach, _ features: [String],
        _ worker: WorkerHost
    ) {
        guard payload.count <= Limits.contractBytesMax else {
            return link.refuse(
                Refusal(
                    .badRequest,
                    "a contract of \(payload.count) bytes; the limit is "
                        + "\(Limits.contractBytesMax)"))
        }
        guard let schemas = payload.decoded([FeatureSchema].self) else {
            return link.violate("an unreadable contract")
        }
        act(on: worker.contracts.verdict(on: schemas, asked: features), attach, worker)
    }

    private func act(
        on verdict: ContractCheck.Verdict, _ attach: Attach, _ worker: WorkerHost
    ) {
        guard let session else { return }
        switch verdict {
        case .refuse(let refusal):
            phase = .joining
            link.refuse(refusal)
        case .ask(let features):
            expect("contract", Limits.contractSeconds)
            phase = .asked(attach, features: features)
            link.send(FrameHeader(.contractWanted), value: features)
        case .admit:
            phase = .joining
            Task.immediate { await worker.join(self, attach, session: session) }
        }
    }
}

extension ArrivingFront: LinkDelegate {
    func link(_ link: Link, admits hello: Hello) -> Refusal? {
        if let refusal = link.refusalForStrangers(at: "the worker") { return refusal }
        session = hello.ticket.flatMap { worker?.redeem($0) }
        guard session == nil else { return nil }
        return Refusal(
            .badTicket, "the ticket is missing, used, too old or unknown; ask napkind for another")
    }

    func linkEstablished(_ link: Link) { expect("attach", Limits.attachSeconds) }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        if header.kind == .pong { return }
        deadline?.cancel()
        switch (header.kind, phase, worker) {
        case (.attach, .unattached, let worker?) where link.hello?.role == .front:
            guard let attach = payload.decoded(Attach.self) else {
                return link.violate("an unreadable attach frame")
            }
            act(on: worker.contracts.verdict(on: attach), attach, worker)
        case (.contract, .asked(let attach, let features), let worker?):
            return contractReceived(payload, attach, features, worker)
        default:
            link.violate("a frame of the kind \(header.kind) before the front was attached")
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        deadline?.cancel()
        worker?.ended(self, end)
    }
}
