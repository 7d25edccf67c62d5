// FrontPulse: finds out what a front is waiting for, to show it to a person.
//
// Isolation  @MainActor: the loop thread, or the host's main thread.
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
    /// The shortest wait that is reported. Chosen: about then a person begins to wonder.
    private static let patience = Duration.milliseconds(300)

    private unowned let session: FrontSession
    private let link: Link
    private var beat: KernelTimer?
    private var check: LoopTimer?
    private var sequence: UInt64 = 0
    /// When the unanswered ping was sent.
    private var askedAt: ContinuousClock.Instant?
    /// How long the last ping took: a distant worker is not a slow one.
    private var roundTrip = Duration.zero
    /// The questions that a person must answer before the worker can continue.
    private var questions: Set<UInt64> = []
    private var questionedAt: ContinuousClock.Instant?
    private var wait: FrontWait?
    /// Whether a check is scheduled for the next turn.
    private var isLookDue = false

    init(_ session: FrontSession, _ link: Link) {
        (self.session, self.link) = (session, link)
        beat = KernelTimer(every: Self.interval) { [weak self] in self?.ask() }
    }

    /// Stops the pulse; nothing is waited for any more.
    func end() {
        beat?.cancel()
        check?.cancel()
        tell(nil)
    }

    // MARK: - What happens

    /// Pings the worker, unless a ping is unanswered.
    func ask() {
        guard askedAt == nil, link.isOpen else { return }
        askedAt = .now
        sequence += 1
        link.send(FrameHeader(.ping, sequence: sequence), value: true)
        look()
    }

    func answered(_ number: UInt64) {
        guard number == sequence, let askedAt = askedAt.take() else { return }
        roundTrip = askedAt.duration(to: .now)
        look()
    }

    /// Notes that an event has been answered; there may be many in one turn.
    func eventEnded() {
        guard wait?.subject == .answer, !isLookDue else { return }
        isLookDue = true
        check?.cancel()
        check = LoopTimer(after: .zero) { [weak self] in self?.look() }
    }

    func questionOpened(_ id: UInt64) {
        questions.insert(id)
        look()
    }

    func questionEnded(_ id: UInt64) {
        guard questions.remove(id) != nil else { return }
        questionedAt = .now
        look()
    }

    // MARK: - Looking

    private var patience: Duration { max(Self.patience, roundTrip * 2) }

    /// Reports what the front waits for, and checks again when time alone changes that.
    private func look() {
        check?.cancel()
        (check, isLookDue) = (nil, false)
        let now = ContinuousClock.now
        var next: Duration?
        var wait: FrontWait?
        let subjects = [(FrontWait.Subject.worker, askedAt), (.answer, eventsWaitSince)]
        for (subject, start) in subjects {
            guard wait == nil, let start else { continue }
            let time = start.duration(to: now)
            guard time >= patience else {
                next = min(next ?? patience, patience - time)
                continue
            }
            let seconds = Int(time / .seconds(1))
            wait = FrontWait(subject, seconds: seconds)
            next = min(next ?? .seconds(1), .seconds(seconds + 1) - time)
        }
        if let next { check = LoopTimer(deadline: next) { [weak self] in self?.look() } }
        tell(wait)
    }

    /// The start of the longest wait for the worker: `nil` while a person must answer a question.
    private var eventsWaitSince: ContinuousClock.Instant? {
        guard questions.isEmpty, let sent = session.oldestCall else { return nil }
        return max(sent, questionedAt ?? sent)
    }

    private func tell(_ wait: FrontWait?) {
        guard wait != self.wait else { return }
        self.wait = wait
        session.delegate?.session(session, waits: wait)
    }
}

extension FrontSession {
    /// The call time of the event that has waited longest for its answer or for credit.
    fileprivate var oldestCall: ContinuousClock.Instant? {
        let sent = machine.events.outstanding.lazy.map(\.token)
        let times = [sent.first { !$0.isAbandoned }, machine.events.held.first { _ in true }]
        return times.compactMap { $0?.calledAt }.min()
    }
}
