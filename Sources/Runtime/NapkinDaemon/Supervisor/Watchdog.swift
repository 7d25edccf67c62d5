// Watchdog: notices that a worker's loop does not answer.
//
// Ownership  owned by the worker's supervisor; its timers end when it is released.
// Invariant  one ping at a time is unanswered.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Asks a registered worker whether it is there, again and again.
@MainActor
final class Watchdog {
    /// The time from an answer to the next ping. Chosen: a worker costs a frame a second.
    private static let interval = Duration.seconds(1)

    private let link: Link
    private let pid: Int32
    private let patience: Duration?
    private let onHang: () -> Void
    private var sequence: UInt64 = 0
    private var timer: LoopTimer?
    /// When the ping was sent that has no answer.
    private var askedAt: ContinuousClock.Instant?

    /// - Parameter onHang: called once, when the worker has not answered for `patience`; never if
    ///   that is `nil`.
    init(link: Link, pid: Int32, patience: Duration?, onHang: @escaping () -> Void) {
        (self.link, self.pid, self.patience, self.onHang) = (link, pid, patience, onHang)
        ask()
    }

    isolated deinit { timer?.cancel() }

    /// How long the worker has not answered by now.
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

    /// The worker has answered a ping.
    func answered(_ number: UInt64) {
        guard number == sequence else { return }
        askedAt = nil
        timer?.cancel()
        timer = LoopTimer(after: Self.interval) { [weak self] in self?.ask() }
    }

    private func overdue() {
        // When a process that somebody has stopped goes on, it has all of its time.
        guard ProcessStatus(of: pid)?.isHeld != true else { return expectAnswer() }
        onHang()
    }
}
