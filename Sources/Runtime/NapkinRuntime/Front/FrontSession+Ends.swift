// FrontSession+Ends: how a front's events end otherwise than with their handlers' answers.
//
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Invariant  an event whose sender was cancelled, or too late, keeps its number and its credit
//            until it is answered; it is cancelled on each connection anew.
// Spec       Protocol/SPEC.md, sections 6.40 (cancelEvent), 8 (Flow control) and 9 (Resume)

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport

/// Wakes the senders of events that take long, so that they can be cancelled: a plain event has
/// been answered long before.
@MainActor
final class EventWatch {
    /// The process's only one.
    static let shared = EventWatch()
    /// Chosen: many times a round trip, and less than a person notices.
    private static let interval = Duration.milliseconds(10)

    private var sessions: [FrontSession] = []
    private var timer: KernelTimer?

    /// Looks at a session's events until all that are under way have been woken.
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
            // A sender that is woken may send an event.
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
    /// Wakes the senders of the events that were under way when this was last called, too. Returns
    /// whether there are others.
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

    /// An event's sender goes on without the answer.
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

    /// Cancels the events that were abandoned while there was no connection.
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
    /// Converts a fault that has arrived; a code of a later version counts as `failed`.
    init(_ fault: Fault) {
        self.init(
            Code(rawValue: fault.code) ?? .failed, fault.message,
            error: fault.error.map { Payload($0) })
    }
}
