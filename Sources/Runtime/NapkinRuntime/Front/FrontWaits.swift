// FrontWaits: decides what a front is waiting for, by its pings, its events and its questions.
//
// Isolation  value. The time is a parameter.

import NapkinCore

/// The waits of a front on one connection.
struct FrontWaits {
    typealias Instant = ContinuousClock.Instant

    /// The shortest wait that is reported. Chosen: about then a person begins to wonder.
    static let patience = Duration.milliseconds(300)

    /// The number of the newest ping.
    private(set) var sequence: UInt64 = 0
    /// When the unanswered ping was sent.
    private var pingedAt: Instant?
    /// How long the last ping took: a distant worker is not a slow one.
    private var roundTrip = Duration.zero
    /// The questions that a person must answer before the worker can continue.
    private var questions: Set<UInt64> = []
    private var questionedAt: Instant?

    /// A ping is due. Returns its number; `nil` if the last one is unanswered.
    mutating func pinged(at now: Instant) -> UInt64? {
        guard pingedAt == nil else { return nil }
        pingedAt = now
        sequence += 1
        return sequence
    }

    /// A pong has arrived.
    mutating func answered(_ number: UInt64, at now: Instant) {
        guard number == sequence, let start = pingedAt.take() else { return }
        roundTrip = start.duration(to: now)
    }

    /// The worker asks a question.
    mutating func questionOpened(_ id: UInt64) { questions.insert(id) }

    /// A question has been answered, or withdrawn.
    mutating func questionEnded(_ id: UInt64, at now: Instant) {
        if questions.remove(id) != nil { questionedAt = now }
    }

    /// Returns what the front waits for, and the time after which that changes without an event.
    ///
    /// - Parameter call: when the oldest event without an answer was called. While a person must
    ///   answer a question, the front does not wait for the worker's answer.
    func wait(since call: Instant?, at now: Instant) -> (wait: FrontWait?, next: Duration?) {
        let patience = max(Self.patience, roundTrip * 2)
        let called = questions.isEmpty ? call.map { max($0, questionedAt ?? $0) } : nil
        var next: Duration?
        for (subject, start) in [(FrontWait.Subject.worker, pingedAt), (.answer, called)] {
            guard let time = start?.duration(to: now) else { continue }
            guard time < patience else {
                let seconds = Int(time / .seconds(1))
                let step = Duration.seconds(seconds + 1) - time
                return (FrontWait(subject, seconds: seconds), min(next ?? step, step))
            }
            next = min(next ?? patience, patience - time)
        }
        return (nil, next)
    }
}
