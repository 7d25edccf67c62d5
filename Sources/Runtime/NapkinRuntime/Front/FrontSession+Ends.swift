// FrontSession+Ends: ends a front's events that do not end with their handlers' answers.
//
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Invariant  an event whose sender was cancelled or has timed out keeps its number and its credit
//            until it is answered; it is cancelled again on each new connection.
// Spec       Protocol/SPEC.md, sections 6.40 (cancelEvent), 8 (Flow control) and 9 (Resume)

import NapkinCoding
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
        timer = KernelTimer(every: Self.interval) { [self] in look() }
    }

    func remove(_ session: FrontSession) {
        guard session.isWatched else { return }
        session.isWatched = false
        sessions.removeAll { $0 === session }
        stopIfIdle()
    }

    private func look() {
        let watched = sessions
        sessions = []
        for session in watched {
            // A woken sender may send an event.
            session.isWatched = false
            if session.watchEvents(), !session.isWatched { add(session) }
        }
        stopIfIdle()
    }

    private func stopIfIdle() {
        guard sessions.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }
}

extension FrontSession {
    /// Wakes the senders of held events, and of events that were already outstanding at the last
    /// call. Returns whether there are others.
    fileprivate func watchEvents() -> Bool {
        var hasOthers = false
        for (number, event) in machine.events.outstanding where !event.isWatched {
            if number <= newestSeen { watch(event) } else { hasOthers = true }
        }
        for event in machine.events.held where !event.isWatched { watch(event) }
        if machine.events.unansweredEvents > 0 { pulse?.ask() }
        newestSeen = machine.events.nextSequence &- 1
        return hasOthers
    }

    private func watch(_ event: FrontEvent) {
        event.watch { [self] reason in abandon(event, reason) }
    }

    /// Lets an event's sender continue without the answer.
    private func abandon(_ event: FrontEvent, _ reason: RemoteFault) {
        if event.held.take() != nil {
            meter?.ended(event)
            return machine.events.eventWithdrawn { $0.held == nil }
        }
        event.isTooLate = reason.code == .deadlineExceeded
        guard machine.events.identity != nil,
            let number = machine.events.outstanding.first(where: { $0.token === event })?.number
        else { return }
        cancel(number, event)
    }

    /// Cancels the events that were abandoned while the front was disconnected.
    func cancelAbandoned() {
        for (number, event) in machine.events.outstanding where event.isAbandoned {
            cancel(number, event)
        }
    }

    private func cancel(_ number: UInt64, _ event: FrontEvent) {
        guard let link, link.isOpen else { return }
        let flags = event.isTooLate ? FrameHeader.tooLateFlag : 0
        link.sendWithoutPayload(FrameHeader(.cancelEvent, flags: flags, sequence: number))
    }
}

// MARK: - Faults of events that did not get through

extension FrontSession {
    var notExecuted: RemoteFault {
        if link == nil || machine.attached == nil {
            RemoteFault(.notExecuted, "not connected to the session")
        } else if isConnected {
            RemoteFault(
                .notExecuted, "the event was not sent: the session's tree has not arrived yet")
        } else {
            Self.notSent
        }
    }

    static var notSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    static var unanswered: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }

    static var suspect: RemoteFault {
        RemoteFault(
            .unknown,
            "the worker died \(Limits.deathsInRowMax) times in a row while this event was under "
                + "way: the event may have run, and is not sent again")
    }

    static func unencodable(_ error: CBORError) -> RemoteFault {
        RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
    }
}

extension RemoteFault {
    /// Converts a received fault; an unknown code from a later version counts as `failed`.
    init(_ fault: Fault) {
        self.init(
            Code(rawValue: fault.code) ?? .failed, fault.message,
            error: fault.error.map { Payload($0) })
    }
}
