// SessionClient: a front's side of one connection to a worker: events out, presentation in.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owns its link and the outstanding events; the delegate is held until
//            `sessionEnded` has returned.
// Invariant  every event ends once: value, fault, `notExecuted` or `unknown`; events are sent in
//            the order of their calls, also those that waited for credit.
// Spec       Protocol/SPEC.md, sections 6 (Messages) and 8 (Flow control)

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
    func session(
        _ client: SessionClient, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer)
    func session(_ client: SessionClient, askEnded id: UInt64)
    func sessionEnded(_ client: SessionClient, _ end: LinkEnd)
}

/// One attachment of a front to a session.
@MainActor
public final class SessionClient {
    private typealias Outcome = Result<Payload, RemoteFault>

    /// An event, and the task that waits: for credit, then for its answer.
    @MainActor
    private final class PendingEvent {
        let gate = LoopGate()
        /// Set when it has ended; opened without one, the event has been given credit.
        @exclusivity(unchecked) var outcome: Outcome?
        @exclusivity(unchecked) var nextSpare: PendingEvent?
    }

    /// Pending events kept for reuse. Chosen: the window of most fronts in use.
    private static let sparesMax = 64

    /// Kept alive until its `sessionEnded` has returned.
    @exclusivity(unchecked) public var delegate: (any SessionClientDelegate)?
    @exclusivity(unchecked) public private(set) var attached: Attached?
    /// The contracts of the worker's features, when `Attach.wantsSchema` asked for them.
    public private(set) var schemas: [FeatureSchema] = []

    private let attach: Attach
    private let link: Link
    @exclusivity(unchecked) private var window = CreditWindow()
    @exclusivity(unchecked) private var sequence: UInt64 = 0
    @exclusivity(unchecked) private var outstanding = SequenceTable<PendingEvent>()
    /// The first of those kept for reuse, each of which knows the next.
    @exclusivity(unchecked) private var spares: PendingEvent?
    @exclusivity(unchecked) private var spareCount = 0
    @exclusivity(unchecked) private var waiting: [PendingEvent] = []
    private var end: LinkEnd?

    /// Begins the handshake with a worker; `ticket` is from napkind's redirect.
    public init(
        channel: Channel, client: String, ticket: String, attach: Attach,
        delegate: any SessionClientDelegate
    ) {
        self.attach = attach
        self.delegate = delegate
        let hello = Hello(role: .front, client: client, ticket: ticket)
        link = Link(channel: channel, role: .initiator(hello))
        link.start(self)
    }

    public var isOpen: Bool { end == nil && link.isOpen }

    /// Events that have been sent and not answered.
    public var outstandingEvents: Int { outstanding.count }

    // MARK: - Events

    /// Sends an event and waits for its handler; see `EventPort.call`.
    @inline(__always)
    public func call(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard link.isOpen, let attached else { throw Self.notSent }
        let pending = makePending()
        if !waiting.isEmpty || !window.take() {
            waiting.append(pending)
            await pending.gate.pass()
            if let outcome = pending.outcome.take() { return try outcome.get() }
        }
        sequence += 1
        let number = sequence
        let header = FrameHeader(
            .event, node: node, epoch: attached.epoch, sequence: number, method: method.rawValue)
        do {
            try link.send(header, encode)
        } catch {
            returnCredit()
            throw RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
        }
        outstanding.append(pending, at: number)
        await pending.gate.pass()
        guard let outcome = pending.outcome.take() else {
            preconditionFailure("event \(number) went on without an answer")
        }
        spare(pending)
        return try outcome.get()
    }

    private func makePending() -> PendingEvent {
        guard let pending = spares else { return PendingEvent() }
        spares = pending.nextSpare.take()
        spareCount -= 1
        return pending
    }

    private func spare(_ pending: PendingEvent) {
        guard spareCount < Self.sparesMax else { return }
        pending.nextSpare = spares.take()
        spares = pending
        spareCount += 1
    }

    private static var notSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    private static var inDoubt: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }

    /// Hands a credit to the caller that has waited longest, who sends at once: nobody who calls
    /// later can come in between. From a callback of the loop.
    private func giveCredit() {
        guard !waiting.isEmpty else { return window.give() }
        waiting.removeFirst().gate.openNow()
    }

    /// Gives back, from a task, the credit of an event that was not sent.
    private func returnCredit() {
        _ = LoopTimer(after: .zero) { self.giveCredit() }
    }

    private func answered(_ number: UInt64, _ outcome: Outcome) {
        guard let pending = outstanding.remove(number) else { return }
        giveCredit()
        pending.outcome = outcome
        pending.gate.openNow()
    }

    // MARK: - Asks

    /// Answers a question; the value that `encode` writes is the method's result.
    public func answer(_ id: UInt64, _ encode: PayloadEncoder) throws(CBORError) {
        try link.send(FrameHeader(.askReply, sequence: id), encode)
    }

    // MARK: - Ending

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
        link.send(FrameHeader(.attach), value: attach)
    }

    public func link(
        _ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        switch header.kind {
        case .reply:
            answered(header.sequence, .success(Payload(Array(payload))))
        case .state, .effect:
            deliver(header, payload)
        case .fault:
            faultReceived(header, payload)
        case .transition:
            decode(Transition.self, payload) { transition in
                guard header.epoch == attached?.epoch else { return }
                delegate?.session(
                    self, applied: transition,
                    isSnapshot: header.flags & Transition.snapshotFlag != 0)
            }
        case .ask:
            guard header.epoch == attached?.epoch else { return }
            let method = MethodID(rawValue: header.method)
            delegate?.session(self, asked: header.sequence, of: header.node, method, payload)
        case .askEnded:
            delegate?.session(self, askEnded: header.sequence)
        case .attached where attached == nil:
            decode(Attached.self, payload) { attached in
                self.attached = attached
                window.reset(limit: attached.window)
                delegate?.sessionAttached(self, attached)
            }
        case .schema:
            decode([FeatureSchema].self, payload) { schemas = $0 }
        case .pong:
            break
        default:
            link.violate("a \(header.kind) frame from a worker")
        }
    }

    private func deliver(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.epoch == attached?.epoch else { return }
        delegate?.session(
            self, header.kind == .state ? .state : .effect, of: header.node,
            MethodID(rawValue: header.method), payload)
    }

    private func faultReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        decode(Fault.self, payload) { fault in
            answered(header.sequence, .failure(RemoteFault(fault)))
        }
    }

    private func decode<T>(
        _ type: T.Type, _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void
    ) where T: Decodable {
        decode(payload, body) { (reader) throws(CBORError) in try reader.read(type) }
    }

    private func decode<T: DirectlyCodable>(
        _ type: T.Type, _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void
    ) {
        decode(payload, body) { (reader) throws(CBORError) in try reader.read(type) }
    }

    private func decode<T>(
        _ payload: UnsafeRawBufferPointer, _ body: (T) -> Void,
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) {
        let value: T
        do {
            var reader = CBORReader(payload)
            value = try read(&reader)
            try reader.expectEnd()
        } catch {
            link.violate("an unreadable frame: \(error)")
            return
        }
        body(value)
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) {
        self.end = end
        let events = outstanding.removeAll()
        let waiting = self.waiting
        self.waiting = []
        for pending in events {
            pending.outcome = .failure(Self.inDoubt)
            pending.gate.open()
        }
        for pending in waiting {
            pending.outcome = .failure(Self.notSent)
            pending.gate.open()
        }
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
