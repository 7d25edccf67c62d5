// TurnMark: when the loop began to read a front's events in this turn, and what it has to write.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the session's observer, one for each connection that has sent an event.

import NapkinTransport

/// Notes when the first event of a turn was read; the others of the turn wait from there on.
@MainActor
final class TurnMark: Flushable {
    private var began: UInt64?
    /// Answers that wait to be written.
    var unwritten: [ObservedAnswer] = []

    /// The beginning of this turn, which is now if nothing has been read in it.
    func mark() -> UInt64 {
        if let began { return began }
        let now = MeasuringClock.nanoseconds
        began = now
        Loop.shared.scheduleFlush(self)
        return now
    }

    func flush() { began = nil }
}
