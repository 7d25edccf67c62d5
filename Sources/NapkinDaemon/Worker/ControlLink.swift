// ControlLink: a worker's line to napkind, made anew when napkind has been started again.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the worker; owns the link of the current connection.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Registers the worker and answers napkind.
@MainActor
final class ControlLink {
    /// Between two tries to find napkind again. Chosen.
    static let retryInterval = Duration.milliseconds(200)

    private weak var worker: WorkerHost?
    private let daemonSocket: String
    private var link: Link?
    private var isClosed = false
    private var timer: LoopTimer?

    init(worker: WorkerHost, channel: Channel, daemonSocket: String) {
        self.worker = worker
        self.daemonSocket = daemonSocket
        adopt(channel, of: worker)
    }

    func close() {
        isClosed = true
        timer?.cancel()
        link?.close()
    }

    private func adopt(_ channel: Channel, of worker: WorkerHost) {
        let hello = Hello(role: .worker, client: "\(worker.app.id) worker")
        link = Link(channel: channel, role: .initiator(hello), delegate: self)
    }

    private func retry() {
        guard !isClosed else { return }
        worker?.lostDaemon()
        timer = LoopTimer(after: Self.retryInterval) { [weak self] in
            Task.immediate { await self?.reconnect() }
        }
    }

    private func reconnect() async {
        guard !isClosed, let worker else { return }
        do throws(TransportError) {
            adopt(try await Channel.connect(to: daemonSocket), of: worker)
        } catch {
            // Nobody listens yet: napkind may come back at any time.
            retry()
        }
    }

    private func queried(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let query = payload.decoded(Query.self) else {
            link?.violate("an unreadable query")
            return
        }
        Task.immediate {
            guard let answer = await worker?.answer(query) else { return }
            var writer = CBORWriter()
            FrameHeader(.answer, sequence: header.sequence)
                .write(into: &writer, payload: answer.bytes)
            link?.send(encoded: writer.copyBytes())
        }
    }
}

extension ControlLink: LinkDelegate {
    func linkEstablished(_ link: Link) {
        guard let worker else { return }
        link.send(FrameHeader(.register), value: worker.register)
    }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        switch header.kind {
        case .admit:
            guard let admit = payload.decoded(Admit.self) else {
                return link.violate("an unreadable admit frame")
            }
            worker?.admit(admit)
            link.send(FrameHeader(.answer, sequence: header.sequence), value: true)
        case .query:
            queried(header, payload)
        case .drain:
            worker?.end()
        case .pong:
            break
        default:
            link.violate("a \(header.kind) frame from napkind")
        }
    }

    func linkEnded(_ link: Link, _ end: LinkEnd) {
        retry()
    }
}
