// FrontPulse: finds out, for a person who looks, what a front waits for.
//
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owned by its session while that has a connection; it ends with it.
// Invariant  one ping at a time is unanswered. While nothing is waited for, no timer of the loop is
//            set but for the time between a ping and its answer: see KernelTimer on the cost.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Asks the worker whether it is there, each second and whenever an event takes long.
@MainActor
final class FrontPulse {
    /// The time between two pings. Chosen: a front that is looked at costs two frames a second.
    private static let interval = Duration.seconds(1)
    /// How long a wait is nobody's business. Chosen: a person begins to wonder.
    private static let patience = Duration.milliseconds(300)

    private unowned let session: FrontSession
    private let link: Link
    private var beat: KernelTimer?
    private var check: LoopTimer?
    private var sequence: UInt64 = 0
    /// When the ping was sent that has no answer.
    private var askedAt: ContinuousClock.Instant?
    /// How long the last ping took: a distant worker is not late.
    private var roundTrip = Duration.zero
    /// The questions that a person has to answer before the worker can.
    private var questions: Set<UInt64> = []
    private var questionedAt: ContinuousClock.Instant?
    private var wait: FrontWait?
    /// Whether the next turn looks.
    private var isLookDue = false

    init(_ session: FrontSession, _ link: Link) {
        (self.session, self.link) = (session, link)
        beat = KernelTimer(every: Self.interval) { [weak self] in self?.ask() }
    }

    /// Ends it; nothing is waited for any more.
    func end() {
        beat?.cancel()
        check?.cancel()
        tell(nil)
    }

    // MARK: - What happens

    /// Asks whether the worker is there, unless that has been asked.
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

    /// An event has been answered; there may be many in one turn.
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

    /// Tells what is waited for, and looks again when that changes by itself.
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

    /// When the oldest event was sent that waits for no person.
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
    /// When the event was called that has waited longest for its answer or for credit.
    fileprivate var oldestCall: ContinuousClock.Instant? {
        let sent = machine.events.outstanding.lazy.map(\.token)
        let times = [sent.first { !$0.isAbandoned }, machine.events.held.first { _ in true }]
        return times.compactMap { $0?.calledAt }.min()
    }
}
