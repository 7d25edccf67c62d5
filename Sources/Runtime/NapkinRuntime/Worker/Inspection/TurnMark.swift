// TurnMark: records when the loop began to read a front's events in a turn, and unwritten answers.
//
// Ownership  owned by the session's observer, one for each connection that has sent an event.

import NapkinTransport

/// Notes when the first event of a turn was read; the turn's other events wait from then on.
@MainActor
final class TurnMark: Flushable {
    var isFlushScheduled = false
    private var began: UInt64?
    /// Answers that wait to be written.
    var unwritten: [ObservedAnswer] = []

    /// Returns when this turn's first event was read; now, if this is the first.
    func mark() -> UInt64 {
        if let began { return began }
        let now = MeasuringClock.nanoseconds
        began = now
        Loop.shared.scheduleFlush(self)
        return now
    }

    func flush() { began = nil }
}
