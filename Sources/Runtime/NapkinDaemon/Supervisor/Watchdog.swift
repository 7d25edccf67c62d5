// Watchdog: notices when a worker's loop does not answer.
//
// Ownership  owned by the worker's supervisor; its timers end when it is released.
// Invariant  at most one ping is unanswered.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Pings a registered worker at regular intervals.
@MainActor
final class Watchdog {
    /// The time from an answer to the next ping. Chosen: it costs a frame a second for each worker.
    private static let interval = Duration.seconds(1)

    private let link: Link
    private let pid: Int32
    private let patience: Duration?
    private let onHang: () -> Void
    private var sequence: UInt64 = 0
    private var timer: LoopTimer?
    /// When the unanswered ping was sent.
    private var askedAt: ContinuousClock.Instant?

    /// - Parameter onHang: called once, when the worker has not answered for `patience`; never if
    ///   `patience` is `nil`.
    init(link: Link, pid: Int32, patience: Duration?, onHang: @escaping () -> Void) {
        (self.link, self.pid, self.patience, self.onHang) = (link, pid, patience, onHang)
        ask()
    }

    isolated deinit { timer?.cancel() }

    /// How long the worker has been silent.
    var silence: Duration { askedAt?.duration(to: .now) ?? .zero }

    private func ask() {
        sequence += 1
        askedAt = .now
        link.send(FrameHeader(.ping, sequence: sequence), value: true)
        expectAnswer()
    }

    private func expectAnswer() {
        guard let patience else { return }
        timer = LoopTimer(deadline: patience) { [weak self] in self?.overdue() }
    }

    /// Handles the answer to a ping.
    func answered(_ number: UInt64) {
        guard number == sequence else { return }
        askedAt = nil
        timer?.cancel()
        timer = LoopTimer(after: Self.interval) { [weak self] in self?.ask() }
    }

    private func overdue() {
        // A process that was stopped gets its full time again when it continues.
        guard ProcessStatus(of: pid)?.isHeld != true else { return expectAnswer() }
        onHang()
    }
}
