// WatchdogStateMachine: decides when a process is pinged, and when it counts as hung.
//
// Invariant  at most one ping is unanswered.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

/// Decides for one worker, or for the process of a child.
package struct WatchdogStateMachine: Hashable, Sendable {
    /// The time from an answer to the next ping. Chosen: it costs a frame a second for each worker.
    private static let interval = Duration.seconds(1)

    package enum Action: Hashable, Sendable {
        /// Send this ping, and report `timerFired` after the patience, if there is one.
        case ping(UInt64, patience: Duration?)
        /// Report `timerFired` after this time, and not after an earlier one.
        case wait(Duration)
        case hang
        case ignore
    }

    /// How long an answer may take; `nil` for no limit.
    private let patience: Duration?
    private var sequence: UInt64 = 0
    /// When the unanswered ping was sent.
    private var askedAt: Duration?

    package init(patience: Duration?) { self.patience = patience }

    /// Whether a ping is unanswered.
    package var isAsking: Bool { askedAt != nil }

    /// How long the worker has been silent at `now`.
    package func silence(at now: Duration) -> Duration { askedAt.map { now - $0 } ?? .zero }

    /// The worker has registered, or the time to wait has passed.
    ///
    /// - Parameter isPaused: whether the process is stopped: when it continues, it gets its full
    ///   time again.
    package mutating func timerFired(at now: Duration, isPaused: Bool) -> Action {
        guard isAsking else {
            sequence += 1
            askedAt = now
            return .ping(sequence, patience: patience)
        }
        guard let patience else { return .ignore }
        return isPaused ? .wait(patience) : .hang
    }

    /// The worker has answered a ping.
    package mutating func answered(_ number: UInt64) -> Action {
        guard isAsking, number == sequence else { return .ignore }
        askedAt = nil
        return .wait(Self.interval)
    }
}
