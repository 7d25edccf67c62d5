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
    /// An event of this client, which keeps it for reuse when it has ended.
    private final class Event: PendingEvent {
        private let client: SessionClient
        @exclusivity(unchecked) var nextSpare: Event?

        init(_ client: SessionClient) {
            self.client = client
            super.init()
        }

        override func didEnd() { client.spare(self) }
    }

    /// An event that waits for credit.
    private struct Waiting {
        var event: Event
        var node: UInt32
        var method: MethodID
        var payload: Payload
    }

    /// Events kept for reuse. Chosen: more are seldom outstanding.
    private static let sparesMax = 64

    /// Kept alive until its `sessionEnded` has returned.
    @exclusivity(unchecked) public var delegate: (any SessionClientDelegate)?
    @exclusivity(unchecked) public private(set) var attached: Attached?
    /// The contracts of the worker's features, when `Attach.wantsSchema` asked for them.
    public private(set) var schemas: [FeatureSchema] = []

    private let attach: Attach
    /// The front's own schema of a feature, for a worker that wants to compare it.
    private let contract: (String) -> FeatureSchema?
    private let link: Link
    @exclusivity(unchecked) private var window = CreditWindow()
    @exclusivity(unchecked) private var sequence: UInt64 = 0
    @exclusivity(unchecked) private var outstanding = SequenceTable<Event>()
    /// The first of those kept for reuse, each of which knows the next.
    @exclusivity(unchecked) private var spares: Event?
    @exclusivity(unchecked) private var spareCount = 0
    @exclusivity(unchecked) private var waiting: [Waiting] = []
    private var wasAskedForContract = false
    private var inDoubt = 0
    private var end: LinkEnd?

    /// Begins the handshake with a worker; `ticket` is from napkind's redirect.
    ///
    /// - Parameter contract: the front's own schema of a feature that `attach` names; asked for
    ///   when the worker's differs.
    public init(
        channel: Channel, client: String, ticket: String, attach: Attach,
        delegate: any SessionClientDelegate,
        contract: @escaping (String) -> FeatureSchema? = { _ in nil }
    ) {
        self.attach = attach
        self.contract = contract
        self.delegate = delegate
        let hello = Hello(role: .front, client: client, ticket: ticket)
        link = Link(channel: channel, role: .initiator(hello))
        link.start(self)
    }

    public var isOpen: Bool { end == nil && link.isOpen }

    /// Events that have been sent and not answered.
    public var outstandingEvents: Int { outstanding.count }

    // MARK: - Events

    /// Sends an event, or has it wait for credit; see `EventPort.begin`.
    @inline(__always)
    public func begin(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        guard link.isOpen, let attached else { throw Self.notSent }
        guard waiting.isEmpty, window.take() else { return try wait(node, method, encode) }
        sequence += 1
        let header = FrameHeader(
            .event, node: node, epoch: attached.epoch, sequence: sequence, method: method.rawValue)
        do {
            try link.send(header, encode)
        } catch {
            window.give()
            throw Self.unencodable(error)
        }
        let event = makeEvent()
        outstanding.append(event, at: sequence)
        return event
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
        let event = makeEvent()
        waiting.append(Waiting(event: event, node: node, method: method, payload: payload))
        return event
    }

    private func makeEvent() -> Event {
        guard let event = spares else { return Event(self) }
        spares = event.nextSpare.take()
        spareCount -= 1
        return event
    }

    private func spare(_ event: Event) {
        guard end == nil, spareCount < Self.sparesMax else { return }
        event.nextSpare = spares.take()
        spares = event
        spareCount += 1
    }

    private static func unencodable(_ error: CBORError) -> RemoteFault {
        RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
    }

    private static var notSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    private static var unanswered: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }

    /// How many events the end of the connection has left in doubt, since the last call.
    func takeInDoubt() -> Int {
        defer { inDoubt = 0 }
        return inDoubt
    }

    /// The event that has been answered, and its credit goes to the one that waits longest, which
    /// is sent at once: nothing that is called later can come in between.
    private func answered(_ number: UInt64) -> Event? {
        guard let event = outstanding.remove(number) else { return nil }
        if waiting.isEmpty { window.give() } else { sendWaiting() }
        return event
    }

    @inline(never)
    private func sendWaiting() {
        guard let attached else { return }
        let next = waiting.removeFirst()
        sequence += 1
        let header = FrameHeader(
            .event, node: next.node, epoch: attached.epoch, sequence: sequence,
            method: next.method.rawValue)
        do {
            try link.send(header) { (writer) throws(CBORError) in
                writer.append(next.payload.bytes)
            }
        } catch {
            // Too long for a frame. Its credit goes on to the next.
            next.event.fail(Self.unencodable(error))
            return waiting.isEmpty ? window.give() : sendWaiting()
        }
        outstanding.append(next.event, at: sequence)
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
            answered(header.sequence)?.succeed(borrowing: payload)
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
        case .contractWanted where mayBeAskedForContract:
            wasAskedForContract = true
            decode([String].self, payload) {
                link.send(FrameHeader(.contract), value: $0.compactMap(contract))
            }
        default:
            link.violate("a \(header.kind) frame from a worker")
        }
    }

    /// Once, before `attached`, and by a worker of version 1.1.
    private var mayBeAskedForContract: Bool {
        attached == nil && !wasAskedForContract && (link.version ?? .oldest) >= .comparesContracts
    }

    private func deliver(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard header.epoch == attached?.epoch else { return }
        delegate?.session(
            self, header.kind == .state ? .state : .effect, of: header.node,
            MethodID(rawValue: header.method), payload)
    }

    private func faultReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        decode(Fault.self, payload) { fault in
            answered(header.sequence)?.fail(RemoteFault(fault))
        }
    }

    @_disfavoredOverload
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
        spares = nil
        inDoubt += events.count
        for event in events { event.fail(Self.unanswered) }
        for one in waiting { one.event.fail(Self.notSent) }
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
