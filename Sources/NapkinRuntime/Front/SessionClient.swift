// SessionClient: a front's side of one connection to a worker: events out, presentation in.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owns its link; the delegate is held until `sessionEnded` has returned. The events are
//            its ledger's, which may outlive it.
// Invariant  events are sent in the order of their calls, also those that waited for credit, and
//            none is called before the tree is there: what is shown until then may be another's.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

public import NapkinCoding
public import NapkinCore
public import NapkinProtocol
public import NapkinTransport

/// Told what the session shows.
@MainActor
public protocol SessionClientDelegate: AnyObject {
    func sessionAttached(_ client: SessionClient, _ attached: Attached)
    /// Apply the operations as a whole; a snapshot replaces everything shown so far.
    func session(_ client: SessionClient, applied transition: Transition, isSnapshot: Bool)
    func session(
        _ client: SessionClient, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    /// Answer with `SessionClient.answer`, unless `askEnded` comes first.
    /// The newest state that the front has of a node's method, which a delta changes.
    func session(
        _ client: SessionClient, stateOf node: UInt32, _ method: MethodID
    ) -> Payload?
    /// The front has not read for a while; the newest of what it has missed follows.
    func session(_ client: SessionClient, skipped: Skipped)
    func session(
        _ client: SessionClient, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    func session(_ client: SessionClient, askEnded id: UInt64)
    /// The session has another name: open that one to come back.
    func session(_ client: SessionClient, renamed: Renamed)
    func session(_ client: SessionClient, workflow number: UInt64, reached step: WorkflowStep)
    func session(_ client: SessionClient, workflow number: UInt64, ended: WorkflowEnded)
    func sessionEnded(_ client: SessionClient, _ end: LinkEnd)
}

/// One attachment of a front to a session.
@MainActor
public final class SessionClient {
    /// Kept alive until its `sessionEnded` has returned.
    @exclusivity(unchecked) public var delegate: (any SessionClientDelegate)?
    @exclusivity(unchecked) public private(set) var attached: Attached?
    /// That of the tree which is shown; 0 until the snapshot is there.
    @exclusivity(unchecked) private var epoch: UInt32 = 0
    /// The contracts of the worker's features, when `Attach.wantsSchema` asked for them.
    public private(set) var schemas: [FeatureSchema] = []

    private let attach: Attach
    /// The front's own schema of a feature, for a worker that wants to compare it.
    private let contract: (String) -> FeatureSchema?
    let link: Link
    private let ledger: EventLedger
    /// Whether nobody goes on with the events when this connection has ended.
    private let endsEvents: Bool
    private var wasAskedForContract = false
    @exclusivity(unchecked) private var assembly = TransitionAssembly()
    var workflows = WorkflowFrontStateMachine()
    private var end: LinkEnd?
    /// Absent when nobody asks how long events take.
    @exclusivity(unchecked) var meter: FrontMeter?

    /// Begins the handshake with a worker; `ticket` is from napkind's redirect.
    ///
    /// - Parameters:
    ///   - ledger: of a front that comes back; it is told who the front was. Without one the
    ///     events end with this connection.
    ///   - contract: the front's own schema of a feature that `attach` names; asked for when the
    ///     worker's differs.
    public init(
        channel: Channel, client: String, ticket: String, attach: Attach,
        delegate: any SessionClientDelegate, ledger: EventLedger? = nil,
        contract: @escaping (String) -> FeatureSchema? = { _ in nil }
    ) {
        self.attach = attach
        self.contract = contract
        self.ledger = ledger ?? EventLedger()
        endsEvents = ledger == nil
        self.delegate = delegate
        let hello = Hello(role: .front, client: client, ticket: ticket)
        link = Link(channel: channel, role: .initiator(hello, towards: .worker))
        link.start(self)
    }

    public var isOpen: Bool { end == nil && link.isOpen }

    /// Events that have been sent and not answered.
    public var outstandingEvents: Int { ledger.machine.unansweredEvents }

    // MARK: - Events

    /// Sends an event, or has it wait for credit; see `EventPort.begin`.
    @inline(__always)
    public func begin(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        guard link.isOpen, epoch != 0 else { throw notExecuted }
        guard ledger.machine.hasCredit else { return try wait(node, method, encode) }
        let header = FrameHeader(
            .event, node: node, epoch: epoch, sequence: ledger.machine.nextSequence,
            method: method.rawValue)
        let event = ledger.makeEvent()
        do {
            try link.send(header, keep: { ledger.machine.eventSent(event, $0) }, encode)
        } catch {
            event.didEnd()
            throw Self.unencodable(error)
        }
        if let meter { meter.sent(event, node, method, by: link) }
        return event
    }

    private var notExecuted: RemoteFault {
        link.isOpen ? EventLedger.notShown : EventLedger.notSent
    }

    /// The arguments are encoded now: what they are made of may change while the event waits.
    @inline(never)
    private func wait(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        let payload: Payload
        do {
            payload = try Payload(encoding: encode)
        } catch {
            throw Self.unencodable(error)
        }
        let event = ledger.makeEvent()
        guard ledger.machine.eventOffered(event) == .wait else {
            event.didEnd()
            throw EventLedger.notSent
        }
        meter?.began(event, node, method)
        event.held = EventLedger.Event.Held(
            node: node, epoch: epoch, method: method, payload: payload)
        return event
    }

    private static func unencodable(_ error: CBORError) -> RemoteFault {
        RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
    }

    /// How many events the end of the connection has left in doubt, since the last call.
    func takeInDoubt() -> Int { ledger.takeInDoubt() }

    /// The event that has been answered, and its credit goes to the one that waits longest, which
    /// is sent at once: nothing that is called later can come in between.
    private func answered(_ number: UInt64) -> EventLedger.Event? {
        switch ledger.machine.answerReceived(number) {
        case .end(let event):
            if let meter { meter.ended(event) }
            if ledger.machine.hasWaiting { sendWaiting() }
            if ledger.machine.isConfirmationDue { sendConfirmation() }
            return event
        case .ignore:
            if ledger.machine.isConfirmationDue { sendConfirmation() }
        case .violation(let what): link.violate(what)
        }
        return nil
    }

    @inline(never)
    private func sendWaiting() {
        guard link.isOpen else { return }
        while let (event, sequence) = ledger.machine.creditGiven() {
            guard let held = event.held.take() else { continue }
            let header = FrameHeader(
                .event, node: held.node, epoch: held.epoch, sequence: sequence,
                method: held.method.rawValue)
            do {
                try link.send(
                    header, keep: { ledger.machine.eventSent(event, $0) },
                    { (writer) throws(CBORError) in writer.append(held.payload.bytes) })
                meter?.sent(event, by: link)
            } catch {
                // Too long for a frame. Its credit goes on to the next.
                event.fail(Self.unencodable(error))
            }
        }
    }

    // MARK: - Confirmation

    /// Tells the worker which answers have arrived.
    @inline(never)
    private func sendConfirmation() {
        guard link.isOpen, let count = ledger.machine.confirmationSent() else { return }
        link.sendWithoutPayload(FrameHeader(.received, sequence: count))
    }

    // MARK: - Asks

    /// Answers a question; the value that `encode` writes is the method's result.
    public func answer(_ id: UInt64, _ encode: PayloadEncoder) throws(CBORError) {
        try link.send(FrameHeader(.askReply, sequence: id), encode)
    }

    // MARK: - Ending

    /// Ends the connection without leaving the session.
    func close() { link.close() }

    /// Leaves the session, which goes on without this front.
    public func detach() {
        guard link.isOpen else { return }
        link.send(FrameHeader(.detach), value: true)
        link.flush()
        link.close()
    }
}

extension SessionClient: LinkDelegate {
    public func linkEstablished(_ link: Link) {
        let previous = ledger.connected(self)
        var attach = attach
        attach.previousFront = previous?.front
        attach.previousEpoch = previous?.epoch
        link.send(FrameHeader(.attach), value: attach)
    }

    private func attachedReceived(_ attached: Attached) {
        let identity = SessionIdentity(front: attached.front, epoch: attached.epoch)
        let action = ledger.machine.attachedReceived(
            identity, window: max(1, attached.window), isResumed: attached.isResumed)
        self.attached = attached
        switch action {
        case .begin(let ended): ledger.end(ended)
        case .sendAgain(let frames): link.send(encoded: frames)
        case .violation(let what): return link.violate(what)
        }
        sendWaiting()
        delegate?.sessionAttached(self, attached)
    }

    public func link(
        _ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        switch header.kind {
        case .reply:
            answered(header.sequence)?.succeed(borrowing: payload)
        case .state, .effect:
            deliver(header, payload)
        case .fault:
            faultReceived(header, payload)
        case .stateDelta where attach.takesDeltas == true:
            deltaReceived(header, payload)
        case .skipped:
            decode(Skipped.self, payload) { delegate?.session(self, skipped: $0) }
        case .transition:
            transitionReceived(header, payload)
        case .ask:
            guard header.epoch == attached?.epoch else { return }
            let method = MethodID(rawValue: header.method)
            delegate?.session(self, asked: header.sequence, of: header.node, method, payload)
        case .askEnded:
            delegate?.session(self, askEnded: header.sequence)
        case .attached where attached == nil:
            decode(Attached.self, payload, attachedReceived)
        case .schema:
            decode([FeatureSchema].self, payload) { schemas = $0 }
        case .pong:
            break
        case .renamed where attached != nil:
            decode(Renamed.self, payload) { renamed in
                attached?.session = renamed.session
                delegate?.session(self, renamed: renamed)
            }
        case .measure where attached != nil:
            measureReceived(header, payload)
        case .workflowStep, .workflowEnded:
            workflowReceived(header, payload)
        case .contractWanted where attached == nil && !wasAskedForContract:
            wasAskedForContract = true
            decode([String].self, payload, contractWanted)
        default:
            link.violate("a \(header.kind) frame from a worker")
        }
    }

    private func contractWanted(_ features: [String]) {
        if let strange = features.first(where: { attach.contracts[$0] == nil }) {
            return link.violate("the contract of \(strange) is wanted, which was not named")
        }
        link.send(FrameHeader(.contract), value: features.compactMap(contract))
    }

    private func transitionReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        decode(Transition.self, payload) { part in
            guard header.epoch == attached?.epoch else { return }
            perform(assembly.partReceived(part, flags: header.flags, byteCount: payload.count))
        }
    }

    private func perform(_ action: TransitionAssembly.Action) {
        switch action {
        case .apply(let transition, let isSnapshot):
            // Now, so that a view may send while it is made; the delegate forgets the old
            // nodes before it makes one.
            if isSnapshot { epoch = attached?.epoch ?? 0 }
            delegate?.session(self, applied: transition, isSnapshot: isSnapshot)
        case .wait, .deliver: break
        case .violation(let what): link.violate(what)
        }
    }

    private func deliver(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.epoch == attached?.epoch else { return }
        if header.kind == .state, assembly.isUnderWay {
            let key = OutboundQueue.StateKey(node: header.node, method: header.method)
            let action = assembly.stateReceived(key, payload)
            guard action == .deliver else { return perform(action) }
        }
        delegate?.session(
            self, header.kind == .state ? .state : .effect, of: header.node,
            MethodID(rawValue: header.method), payload)
    }

    private func deltaReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.epoch == attached?.epoch else { return }
        let method = MethodID(rawValue: header.method)
        guard let old = delegate?.session(self, stateOf: header.node, method) else {
            return link.violate("a delta of a state of node \(header.node) that was never sent")
        }
        do {
            let new = try CBORDelta.apply(payload, to: old.bytes, bytesMax: Limits.frameBytesMax)
            new.withUnsafeBytes {
                delegate?.session(self, .state, of: header.node, method, $0)
            }
        } catch {
            link.violate("an unreadable delta: \(error)")
        }
    }

    private func faultReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        decode(Fault.self, payload) { fault in
            answered(header.sequence)?.fail(RemoteFault(fault))
        }
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) {
        self.end = end
        meter?.end()
        meter = nil
        ledger.connectionEnded(self)
        if endsEvents { ledger.close() }
        delegate?.sessionEnded(self, end)
        delegate = nil
    }
}

extension RemoteFault {
    /// A fault that has arrived; a code of a later version counts as `failed`.
    init(_ fault: Fault) {
        self.init(Code(rawValue: fault.code) ?? .failed, fault.message)
    }
}
