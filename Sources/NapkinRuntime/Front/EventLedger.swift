// EventLedger: a front's events, from their call to their end, over all of its connections.
//
// Layer      runtime: performs what SessionFrontStateMachine decides.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owns the events that are under way, and spare ones until it is closed; used by the
//            client of the connection that stands.
// Invariant  every event ends once: value, fault, `notExecuted` or `unknown`.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import NapkinCore
import NapkinProtocol

/// Keeps events while there is no connection, so that the next one can go on with them.
@MainActor
public final class EventLedger {
    /// An event, which its ledger keeps for reuse when it has ended.
    final class Event: PendingEvent {
        /// What is sent when there is credit.
        struct Held {
            var node: UInt32
            /// That of the call: the node is the one of that number in that tree.
            var epoch: UInt32
            var method: MethodID
            var payload: Payload
        }

        private let ledger: EventLedger
        @exclusivity(unchecked) var held: Held?
        @exclusivity(unchecked) fileprivate var nextSpare: Event?

        init(_ ledger: EventLedger) {
            self.ledger = ledger
            super.init()
        }

        override func didEnd() { ledger.spare(self) }
    }

    /// Events kept for reuse. Chosen: more are seldom outstanding.
    private static let sparesMax = 64

    @exclusivity(unchecked) var machine = SessionFrontStateMachine<Event>()
    /// The first of those kept for reuse, each of which knows the next.
    @exclusivity(unchecked) private var spares: Event?
    @exclusivity(unchecked) private var spareCount = 0
    private var inDoubt = 0
    private var isClosed = false
    /// That of the connection that stands, until its end.
    private var client: SessionClient?

    public init() {}

    /// A connection stands, as whom the front was before; one that still stood is closed.
    func connected(_ client: SessionClient) -> SessionIdentity? {
        let former = self.client
        self.client = client
        let identity = machine.connected()
        if former !== client { former?.close() }
        return identity
    }

    /// A connection has ended, if it was that which stood.
    func connectionEnded(_ client: SessionClient) {
        guard self.client === client else { return }
        self.client = nil
        machine.connectionEnded()
    }

    /// The front comes back too late for its events, should it come back: they end as they are.
    /// Does nothing while a connection stands.
    public func expire() { end(machine.resumeExpired()) }

    /// The front has ended, and so do its events.
    public func close() {
        isClosed = true
        spares = nil
        end(machine.left())
    }

    /// How many events have ended as `unknown`, since the last call.
    func takeInDoubt() -> Int {
        defer { inDoubt = 0 }
        return inDoubt
    }

    func makeEvent() -> Event {
        guard let event = spares else { return Event(self) }
        spares = event.nextSpare.take()
        spareCount -= 1
        return event
    }

    private func spare(_ event: Event) {
        guard !isClosed, spareCount < Self.sparesMax else { return }
        event.nextSpare = spares.take()
        spares = event
        spareCount += 1
    }

    func end(_ ended: SessionFrontStateMachine<Event>.Ended) {
        inDoubt += ended.unknown.count
        for event in ended.unknown { event.fail(Self.unanswered) }
        for event in ended.notExecuted {
            event.held = nil
            event.fail(Self.notSent)
        }
    }

    static var notSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    static var notShown: RemoteFault {
        RemoteFault(.notExecuted, "the event was not sent: the session's tree is not there yet")
    }

    private static var unanswered: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }
}
