// EventWatch: wakes the senders of a process' slow events, so that each can end without its answer.
//
// Ownership  one for the process; keeps a session while senders of its events have yet to be woken.

import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Wakes the senders of slow events, so that they can be cancelled: an ordinary event has been
/// answered long before.
@MainActor
final class EventWatch {
    /// The only watch of the process.
    static let shared = EventWatch()
    /// The time between two checks. Chosen: many round trips, and less than a person notices.
    private static let interval = Duration.milliseconds(10)

    private var sessions: [FrontSession] = []
    private var timer: KernelTimer?

    /// Checks a session's events until the senders of all outstanding ones have been woken.
    @inline(never)
    func add(_ session: FrontSession) {
        session.isWatched = true
        sessions.append(session)
        guard timer == nil else { return }
        timer = KernelTimer(every: Self.interval) { [self] in check() }
    }

    func remove(_ session: FrontSession) {
        session.isWatched = false
        sessions.removeAll { $0 === session }
        stopIfIdle()
    }

    private func check() {
        let watched = sessions
        sessions = []
        for session in watched {
            // A woken sender may send an event.
            session.isWatched = false
            if wakeSenders(of: session), !session.isWatched { add(session) }
        }
        stopIfIdle()
    }

    /// Wakes the senders of queued events, and of events that were already outstanding at the last
    /// call. Returns whether there are others.
    private func wakeSenders(of session: FrontSession) -> Bool {
        func wake(_ event: FrontEvent) { event.watch { session.abandon(event, $0) } }
        var hasOthers = false
        for (number, event) in session.machine.events.outstanding where !event.isWatched {
            if number <= session.newestSeen { wake(event) } else { hasOthers = true }
        }
        for event in session.machine.events.queued where !event.isWatched { wake(event) }
        if session.machine.events.unansweredEvents > 0 { session.pulse?.ask() }
        session.newestSeen = session.machine.events.nextSequence &- 1
        return hasOthers
    }

    private func stopIfIdle() {
        guard sessions.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }
}
