// FrontRun: runs a front from its attachment to its end, whichever side ends it.
//
// Ownership  owns the front and the watchers of the signals that end it.
// Invariant  `run` returns once: when the front has ended, or soon after `quit`.

import Glibc
import NapkinFront
import NapkinTransport

@MainActor
final class FrontRun {
    /// How long a detach may take before the connection is dropped. Chosen: a socket on the same
    /// machine takes microseconds.
    static let detachTime: Duration = .milliseconds(500)

    let front: Front
    /// Says what a front is waiting for, if it is not attached soon.
    var say: @MainActor (String?) -> Void = WaitingLine.show
    private var ended: CheckedContinuation<Result<Void, ClientFailure>, Never>?
    private var result: Result<Void, ClientFailure>?
    private var signals: [SignalWatcher] = []

    init(_ front: Front) {
        self.front = front
    }

    /// Attaches and stays. SIGINT, SIGTERM and SIGHUP detach, which is not a failure.
    func run() async throws(ClientFailure) {
        signals = try SignalWatcher.endings { [weak self] in self?.quit() }
        let notice = WaitingNotice(for: { [front] in front.awaited }, say: say)
        front.whenAttached = { notice.end() }
        defer { notice.end() }
        let result = await withCheckedContinuation { continuation in
            ended = continuation
            Task { await self.attach() }
        }
        for signal in signals { signal.cancel() }
        try result.get()
    }

    private func attach() async {
        switch await front.run() {
        case .detached: finish(.success(()))
        case .failed(let error): finish(.failure(ClientFailure(error)))
        }
    }

    /// Detaches; `run` returns without an error. A second call does not wait for that.
    func quit() {
        if let result { finish(result) } else { end(.success(())) }
    }

    /// Detaches; `run` throws `failure`.
    func fail(_ failure: ClientFailure) { end(.failure(failure)) }

    private func end(_ result: Result<Void, ClientFailure>) {
        guard self.result == nil else { return }
        self.result = result
        let wasConnected = front.isConnected
        front.detach()
        if wasConnected {
            _ = LoopTimer(after: Self.detachTime) { [weak self] in self?.finish(result) }
        } else {
            finish(result)
        }
    }

    private func finish(_ outcome: Result<Void, ClientFailure>) {
        ended.take()?.resume(returning: result ?? outcome)
    }
}

extension SignalWatcher {
    /// Watches the signals that ask a program to end.
    @MainActor
    static func endings(
        _ received: @escaping @MainActor () -> Void
    ) throws(ClientFailure) -> [SignalWatcher] {
        try ClientFailure.ofSystem { () throws(TransportError) in
            var watchers: [SignalWatcher] = []
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                watchers.append(try SignalWatcher(signal, received))
            }
            return watchers
        }
    }
}
