// ControlLink: a worker's connection to napkind, reopened when napkind restarts.
//
// Ownership  owned by the worker; owns the link of the current connection.

import Glibc
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Registers the worker and answers napkind.
@MainActor
final class ControlLink {
    private weak var worker: WorkerHost?
    private let daemonSocket: String
    private var link: Link?
    private var machine = ControlLineStateMachine(role: .worker)
    private var isClosed = false
    private var timer: LoopTimer?

    init(worker: WorkerHost, channel: Channel, daemonSocket: String) {
        self.worker = worker
        self.daemonSocket = daemonSocket
        adopt(channel, of: worker)
        ProcessRunner.onDeath = { [weak self] in self?.announce($0) }
    }

    /// The number of napkind's unanswered requests.
    var openRequests: Int { machine.openRequests }

    func close() {
        isClosed = true
        timer?.cancel()
        link?.close()
    }

    private func adopt(_ channel: Channel, of worker: WorkerHost) {
        let hello = Hello(role: .worker, client: "\(worker.app.id) worker")
        link = Link(channel: channel, role: .initiator(hello, towards: .napkind), delegate: self)
    }

    private func retry() {
        guard !isClosed else { return }
        worker?.lostDaemon()
        timer = LoopTimer(after: WorkerOptions.retryInterval) { [weak self] in
            Task.immediate { await self?.reconnect() }
        }
    }

    private func reconnect() async {
        guard !isClosed, let worker else { return }
        do throws(TransportError) {
            let channel = try await Channel.connect(to: daemonSocket)
            guard PeerCredentials.stranger(channel.peer) == nil else {
                // The process that listens there is not one that this worker may answer.
                channel.close()
                return retry()
            }
            adopt(channel, of: worker)
        } catch {
            // Nobody listens yet; napkind may be restarted at any time.
            retry()
        }
    }

    private func queried(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let query = payload.decoded(Query.self) else {
            let refusal = Refusal(.badRequest, "the worker does not know this query; is it older?")
            return refuse(header, refusal)
        }
        let asking = link
        Task.immediate {
            do throws(Refusal) {
                guard let piece = try await worker?.queries.piece(of: query), asking === link else {
                    return
                }
                self.answer(header, cursor: piece.cursor) { (writer) throws(CBORError) in
                    writer.append(piece.bytes)
                }
            } catch {
                if asking === link { refuse(header, error) }
            }
            // A front may have attached under that name before this session had ended.
            if case .kill(let name, _) = query, worker?.holds(name) == true { announce([name]) }
        }
    }

    /// Announces sessions that the worker now holds; without any, only its number of fronts.
    func announce(_ sessions: [String]) {
        guard let worker, machine.isRegistered else { return }
        var register = worker.register(of: sessions)
        if sessions.isEmpty { register.fronts = worker.report.number }
        link?.send(FrameHeader(.register), value: register)
    }

    /// Reports the death of a child's process to napkind, which keeps a receipt. Without napkind,
    /// the log has it.
    private func announce(_ death: ChildDeath) {
        guard let worker, machine.isRegistered else { return }
        var register = worker.register(of: [])
        register.died = death
        link?.send(FrameHeader(.register), value: register)
    }

    private func admitted(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let admit = payload.decoded(Admit.self), admit.refusal == nil else {
            link?.violate("an unreadable admit frame")
            return
        }
        do throws(Refusal) {
            guard let worker else { return }
            try worker.admit(admit)
        } catch {
            return refuse(header, error)
        }
        answer(header) { (writer) throws(CBORError) in try writer.write(true) }
    }

    /// Answers a request once; an answer that cannot be sent becomes a refusal.
    private func answer(
        _ request: FrameHeader, cursor: UInt32 = 0, _ payload: PayloadEncoder
    ) {
        guard machine.answered(request.sequence) else { return }
        do {
            try link?.send(
                FrameHeader(.answer, node: cursor, sequence: request.sequence), payload)
        } catch {
            link?.send(
                FrameHeader(.refused, sequence: request.sequence),
                value: Refusal(.overloaded, error.detail))
        }
    }

    private func refuse(_ request: FrameHeader, _ refusal: Refusal) {
        guard machine.answered(request.sequence) else { return }
        link?.send(FrameHeader(.refused, sequence: request.sequence), value: refusal)
    }
}

extension ControlLink: LinkDelegate {
    func linkEstablished(_ link: Link) {
        guard let worker else { return }
        machine = ControlLineStateMachine(role: .worker)
        worker.foundDaemon()
        for part in worker.register.parts { link.send(FrameHeader(.register), value: part) }
        machine.registerSent()
    }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        if header.kind == .pong { return }
        switch machine.frameReceived(header) {
        case .takeRequest where header.kind == .admit: admitted(header, payload)
        case .takeRequest: queried(header, payload)
        case .drain: worker?.end()
        case .violation(let what): link.violate(what)
        case .takeRegistration, .endRequest, .ignore: break
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        _ = machine.connectionEnded()
        retry()
    }
}
