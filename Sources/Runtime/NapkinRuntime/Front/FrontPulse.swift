// FrontPulse: finds out what a front is waiting for, to show it to a person.
//
// Ownership  owned by its session while there is a connection; it ends with the connection.
// Invariant  at most one ping is unanswered. With nothing to wait for, no loop timer is set, except
//            between a ping and its answer: see KernelTimer on the cost.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Pings the worker each second and whenever an event takes long.
@MainActor
final class FrontPulse {
    /// The time between two pings. Chosen: a watched front costs two frames a second.
    private static let interval = Duration.seconds(1)

    private unowned let session: FrontSession
    private let link: Link
    private var beat: KernelTimer?
    private var timer: LoopTimer?
    private var waits = FrontWaits()
    private var wait: FrontWait?
    /// Whether a check is scheduled for the next turn.
    private var isCheckDue = false

    init(_ session: FrontSession, _ link: Link) {
        (self.session, self.link) = (session, link)
        beat = KernelTimer(every: Self.interval) { [weak self] in self?.ask() }
    }

    /// Stops the pulse; nothing is waited for any more.
    func end() {
        beat?.cancel()
        timer?.cancel()
        tell(nil)
    }

    /// Pings the worker, unless a ping is unanswered.
    func ask() {
        guard link.isOpen, let number = waits.pinged(at: .now) else { return }
        link.send(FrameHeader(.ping, sequence: number), value: true)
        check()
    }

    func answered(_ number: UInt64) {
        waits.answered(number, at: .now)
        check()
    }

    /// Notes that an event has been answered; there may be many in one turn.
    func eventEnded() {
        guard wait?.subject == .answer, !isCheckDue else { return }
        isCheckDue = true
        timer?.cancel()
        timer = LoopTimer(after: .zero) { [weak self] in self?.check() }
    }

    func questionOpened(_ id: UInt64) {
        waits.questionOpened(id)
        check()
    }

    func questionEnded(_ id: UInt64) {
        waits.questionEnded(id, at: .now)
        check()
    }

    /// Reports what the front waits for, and checks again when time alone changes that.
    private func check() {
        timer?.cancel()
        (timer, isCheckDue) = (nil, false)
        let (wait, next) = waits.wait(since: oldestCall, at: .now)
        if let next { timer = LoopTimer(deadline: next) { [weak self] in self?.check() } }
        tell(wait)
    }

    /// The call time of the event that has waited longest for its answer or for credit.
    private var oldestCall: ContinuousClock.Instant? {
        let events = session.machine.events
        let sent = events.outstanding.lazy.map(\.token).first { !$0.isAbandoned }
        return [sent, events.queued.first { _ in true }].compactMap { $0?.calledAt }.min()
    }

    private func tell(_ wait: FrontWait?) {
        guard wait != self.wait else { return }
        self.wait = wait
        session.delegate?.session(session, waits: wait)
    }
}
