// FrontSession: a front's side of a session, across connections: sends events and receives
// presented messages.
//
// Ownership  owns the front's events, and its connection while it has one; holds its delegate from
//            the first connection until it is closed.
// Invariant  events are sent in the order of their calls, including those that waited for credit or
//            for a connection; every event ends once: value, fault, `notExecuted` or `unknown`.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

package import NapkinCoding
package import NapkinCore
package import NapkinProtocol
package import NapkinTransport

/// One front of a session, connected or not.
@MainActor
package final class FrontSession {
    /// The inventory of the views' senders. A remaining sender belongs to a view that is still
    /// retained.
    package let senderInventory = TreeInventory()
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the delegate, the link or an encoder. The machine calls nobody.
    /// Whether the delegate receives each event's time from call to reply.
    @exclusivity(unchecked) package var timesEvents = false { didSet { setMeasures() } }
    /// Whether the delegate learns what the front waits for. Set it before `connect`.
    package var watchesWorker = false

    @exclusivity(unchecked) var machine = FrontStateMachine<FrontEvent>()
    /// The connection; `nil` while there is none.
    @exclusivity(unchecked) private(set) var link: Link?
    @exclusivity(unchecked) private(set) var delegate: (any FrontSessionDelegate)?
    /// Present while the worker asks for the times of events.
    @exclusivity(unchecked) private(set) var meter: FrontMeter? { didSet { setMeasures() } }
    /// Present while the front is attached and the worker is being watched.
    var pulse: FrontPulse? { didSet { setMeasures() } }
    @exclusivity(unchecked) private(set) var measures = false
    private let spares = EventPool()
    /// Whether the `EventWatch` tracks the session.
    @exclusivity(unchecked) var isWatched = false
    /// The number of the newest event at the last check of the `EventWatch`.
    var newestSeen: UInt64 = 0
    private let client: String
    /// Returns the front's own schema of a feature, for comparison with the worker's.
    let contract: (String) -> FeatureSchema?
    private var inDoubt = 0
    /// When the front last attached, by the loop's clock.
    var attachedAt: UInt64 = 0
    /// Counts the connections: a question from one cannot be answered on another.
    package private(set) var connection = 0

    /// Creates a front that has no connection yet.
    ///
    /// - Parameters:
    ///   - client: the program and its version.
    ///   - contract: returns the front's own schema of a feature that `Attach` names; called when
    ///     the worker's differs.
    package init(client: String, contract: @escaping (String) -> FeatureSchema? = { _ in nil }) {
        self.client = client
        self.contract = contract
    }

    /// The worker's answer to the newest connection's attachment, once it has arrived.
    package var attached: Attached? { machine.attached }
    /// The contracts of the session's features, if `Attach.wantsSchema` asked for them.
    package internal(set) var schemas: [FeatureSchema] = []
    /// The number of events that have been sent and not answered.
    package var outstandingEvents: Int { machine.events.unansweredEvents }
    /// Whether there is an open connection.
    package var isConnected: Bool { link?.isOpen == true }

    // MARK: - Connections

    /// Shakes hands with a worker and attaches, under the front's previous identity if the worker
    /// knows it. Closes an open connection first.
    ///
    /// - Parameters:
    ///   - ticket: the ticket from napkind's redirect.
    ///   - attach: the front's requests; its identity is filled in here.
    package func connect(
        _ channel: Channel, ticket: String, attach: Attach, delegate: any FrontSessionDelegate
    ) {
        link?.close()
        self.delegate = delegate
        schemas = []
        connection += 1
        let hello = Hello(role: .front, client: client, ticket: ticket)
        let link = Link(channel: channel, role: .initiator(hello, towards: .worker))
        self.link = link
        link.start(FrontReader(self, link, delegate))
        link.send(FrameHeader(.attach), value: machine.connected(attach))
    }

    /// Leaves the session, which continues without this front.
    package func detach() {
        guard let link, link.isOpen else { return }
        endPulse()
        link.send(FrameHeader(.detach), value: true)
        link.flush()
        link.close()
    }

    /// Ends the events, because it is too late to resume them. Does nothing while connected.
    package func expire() { end(machine.events.resumeExpired()) }

    /// Ends the front and its events. Nothing is sent or reported after this, except that the last
    /// presented message has been handled.
    package func close() {
        endPulse()
        link?.close()
        spares.close()
        if isWatched { EventWatch.shared.remove(self) }
        end(machine.events.detached())
        delegate = nil
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {
        guard self.link === link else { return }
        self.link = nil
        endPulse()
        meter?.end()
        meter = nil
        let late = attachedAt + UInt64(Limits.deathsApartSeconds) * 1000
        machine.connectionEnded(isSilent: end.isSilent, isLate: Loop.shared.now >= late)
        delegate?.sessionDisconnected(self, end)
    }

    /// Returns how many events have ended as `unknown` since the last call.
    package func takeInDoubt() -> Int {
        defer { inDoubt = 0 }
        return inDoubt
    }

    func end(_ ended: FrontEvents<FrontEvent>.Ended) {
        inDoubt += (ended.unknown + ended.suspects).count { !$0.isAbandoned }
        for event in ended.unknown { event.fail(.eventUnanswered) }
        for event in ended.suspects { event.fail(.eventSuspect) }
        for event in ended.notExecuted {
            event.queued = nil
            event.fail(.eventNotSent)
        }
    }

    // MARK: - Events

    /// Sends an event, or queues it until there is credit; see `EventPort.begin`.
    @inline(__always)
    package func begin(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        guard link?.isOpen == true, machine.epoch != 0 else { throw notExecuted }
        try CallLimit.check()
        if !isWatched { EventWatch.shared.add(self) }
        guard machine.events.hasCredit else { return try wait(node, method, encode) }
        let header = FrameHeader(
            .event, node: node, epoch: machine.epoch, sequence: machine.events.nextSequence,
            method: method.rawValue)
        let event = spares.make()
        do {
            // SAFETY: the session retains its link, and so does the channel until it has closed.
            try withUnretained(link) { (link) throws(CBORError) in
                try link.send(header, keep: { machine.events.eventSent(event, $0) }, encode)
            }
        } catch {
            event.didEnd()
            throw RemoteFault.unencodable(error)
        }
        if measures { began(event, node, method, isSent: true) }
        return event
    }

    /// Encodes the arguments now, because their source may change while the event waits.
    @inline(never)
    private func wait(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        let payload: Payload
        do {
            payload = try Payload(encoding: encode)
        } catch {
            throw RemoteFault.unencodable(error)
        }
        let event = spares.make()
        guard machine.events.eventQueued(event) else {
            event.didEnd()
            throw RemoteFault.eventNotSent
        }
        event.queued = FrontEvent.Queued(
            node: node, epoch: machine.epoch, method: method, payload: payload)
        if measures { began(event, node, method, isSent: false) }
        return event
    }

    /// Performs the actions that an answer makes due. The freed credit goes to the event that has
    /// waited longest; it is sent at once, so that no later call can overtake it.
    @inline(__always)
    func answerArrived() {
        if machine.events.hasWaiting { sendWaiting() }
        if machine.events.isConfirmationDue { sendConfirmation() }
    }

    @inline(never)
    func sendWaiting() {
        guard let link, link.isOpen else { return }
        while let (event, sequence) = machine.events.creditGiven() {
            guard let queued = event.queued.take() else { continue }
            let header = FrameHeader(
                .event, node: queued.node, epoch: queued.epoch, sequence: sequence,
                method: queued.method.rawValue)
            do {
                try link.send(
                    header, keep: { machine.events.eventSent(event, $0) },
                    { (writer) throws(CBORError) in writer.append(queued.payload.bytes) })
                meter?.sent(event, by: link)
            } catch {
                // The event is too long for a frame. Its credit goes to the next.
                event.fail(.unencodable(error))
            }
        }
    }

    @inline(never)
    private func sendConfirmation() {
        guard let link, link.isOpen, let count = machine.events.confirmationSent() else { return }
        link.sendWithoutPayload(FrameHeader(.received, sequence: count))
    }

    /// Reports to the delegate a fault that the event's sender cannot receive. The sender's own
    /// cancellation is not a fault.
    func eventFailed(_ node: UInt32, _ method: MethodID, _ fault: RemoteFault) {
        if fault.code == .cancelled, Task.isCancelled { return }
        delegate?.session(self, failedEvent: method, of: node, fault)
    }

    /// Lets an event's sender continue without the answer.
    func abandon(_ event: FrontEvent, _ reason: RemoteFault) {
        if event.queued.take() != nil {
            meter?.ended(event)
            return machine.events.eventWithdrawn { $0.queued == nil }
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

    /// Why an event cannot be sent at present.
    private var notExecuted: RemoteFault {
        if link == nil || machine.attached == nil {
            RemoteFault(.notExecuted, "not connected to the session")
        } else if isConnected {
            RemoteFault(
                .notExecuted, "the event was not sent: the session's tree has not arrived yet")
        } else {
            .eventNotSent
        }
    }

    // MARK: - Frames

    /// Handles a frame. Returns the message for a view, if the frame contains one.
    @inline(__always)
    func received(
        _ frame: Frame, on link: Link, for delegate: any FrontSessionDelegate
    ) -> ReceivedMessage? {
        let (header, payload) = (frame.header, frame.payload)
        let delivery: DeliveryClass
        switch machine.frameReceived(header, payload) {
        case .effect: delivery = .effect
        case .state: delivery = .state
        case .succeed(let event):
            if measures { ended(event, hasSucceeded: true) }
            answerArrived()
            event.succeed(borrowing: payload)
            return nil
        case let action:
            perform(action, header, payload, on: link)
            return nil
        }
        return delegate.session(
            self, delivery, of: header.node, MethodID(rawValue: header.method), payload)
    }

    // MARK: - Asks and workflows

    /// Answers a question of this connection; `encode` writes the method's result.
    ///
    /// Throws `CBORError` if the answer is too long for a frame: the question then stays open.
    package func answer(_ id: UInt64, _ encode: PayloadEncoder) throws(CBORError) {
        try link?.send(FrameHeader(.askReply, sequence: id), encode)
        pulse?.questionEnded(id)
    }

    /// Asks the worker to run the workflow of a URL; it is cancelled when this connection ends.
    ///
    /// Returns the workflow's number in calls of the delegate; `nil` if the front is not attached.
    package func openURL(_ url: String) -> UInt64? {
        guard let link, link.isOpen, let number = machine.openRequested() else { return nil }
        link.send(FrameHeader(.openURL, sequence: number), value: OpenURL(url: url))
        return number
    }

    /// Asks the worker to cancel a workflow. If it has not ended, the delegate learns of the end.
    package func cancelWorkflow(_ number: UInt64) {
        guard let link, link.isOpen, machine.workflows.cancelRequested(number) else { return }
        link.sendWithoutPayload(FrameHeader(.cancelWorkflow, sequence: number))
    }

    // MARK: - Measuring

    func linkWillFlush() { meter?.willFlush() }

    private func setMeasures() { measures = timesEvents || meter != nil || pulse != nil }

    private func endPulse() {
        pulse?.end()
        pulse = nil
    }

    func report(_ measure: Measure, _ number: UInt64, on link: Link) {
        // The meter holds this session until it ends: see `Link` on the cost of a weak reference.
        let meter = meter ?? FrontMeter { self.meter = nil }
        self.meter = meter
        link.send(FrameHeader(.measured, sequence: number), value: meter.report(for: measure))
    }

    /// Starts to measure an event.
    @inline(never)
    private func began(_ event: FrontEvent, _ node: UInt32, _ method: MethodID, isSent: Bool) {
        if timesEvents || pulse != nil { event.calledAt = .now }
        meter?.began(event, node, method)
        if isSent, let link { meter?.sent(event, by: link) }
    }

    @inline(never)
    func ended(_ event: FrontEvent, hasSucceeded: Bool) {
        meter?.ended(event)
        pulse?.eventEnded()
        guard let calledAt = event.calledAt.take(), hasSucceeded, timesEvents else { return }
        delegate?.session(self, eventTook: calledAt.duration(to: .now))
    }
}
