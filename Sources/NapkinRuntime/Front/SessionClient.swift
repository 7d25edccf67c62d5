// SessionClient: a front's side of one connection to a worker: events out, presentation in.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread, or the host's main thread.
// Ownership  owns its link and the continuations of outstanding events; the delegate is weak.
// Invariant  every event ends once: value, fault, `notExecuted` or `unknown`.
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

    public weak var delegate: (any SessionClientDelegate)?
    public private(set) var attached: Attached?
    /// The contracts of the worker's features, when `Attach.wantsSchema` asked for them.
    public private(set) var schemas: [FeatureSchema] = []

    private let attach: Attach
    private var link: Link?
    private var window = CreditWindow()
    private var sequence: UInt64 = 0
    private var outstanding: [UInt64: UnsafeContinuation<Outcome, Never>] = [:]
    private var waiting: [UnsafeContinuation<Bool, Never>] = []
    private var end: LinkEnd?

    /// Begins the handshake with a worker; `ticket` is from napkind's redirect.
    public init(
        channel: Channel, client: String, ticket: String, attach: Attach,
        delegate: any SessionClientDelegate
    ) {
        self.attach = attach
        self.delegate = delegate
        let hello = Hello(role: .front, client: client, ticket: ticket)
        link = Link(channel: channel, role: .initiator(hello), delegate: self)
    }

    public var isOpen: Bool { end == nil && link?.isOpen == true }

    /// Events that have been sent and not answered.
    public var outstandingEvents: Int { outstanding.count }

    // MARK: - Events

    /// Sends an event and waits for its handler; see `EventPort.call`.
    public func call(
        _ node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        if !waiting.isEmpty || !window.take() {
            guard isOpen else { throw Self.notSent }
            // Resumed with true, the credit is ours: it was handed over, in order.
            guard await withUnsafeContinuation({ waiting.append($0) }) else { throw Self.notSent }
        }
        guard let link, link.isOpen, let attached else {
            giveCredit()
            throw Self.notSent
        }
        sequence += 1
        let number = sequence
        let header = FrameHeader(
            .event, node: node, epoch: attached.epoch, sequence: number, method: method.rawValue)
        do {
            try link.send(header, encode)
        } catch {
            giveCredit()
            throw RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
        }
        let outcome = await withUnsafeContinuation { outstanding[number] = $0 }
        return try outcome.get()
    }

    private static var notSent: RemoteFault {
        RemoteFault(.notExecuted, "the connection to the worker was lost before the event was sent")
    }

    private static var inDoubt: RemoteFault {
        RemoteFault(.unknown, "the connection to the worker was lost before the event was answered")
    }

    private func giveCredit() {
        guard !waiting.isEmpty else { return window.give() }
        let next = waiting.removeFirst()
        Loop.keepingResumesOnLoop { next.resume(returning: true) }
    }

    private func answered(_ number: UInt64, _ outcome: Outcome) {
        guard let continuation = outstanding.removeValue(forKey: number) else { return }
        giveCredit()
        Loop.keepingResumesOnLoop { continuation.resume(returning: outcome) }
    }

    // MARK: - Asks

    /// Answers a question; the value that `encode` writes is the method's result.
    public func answer(_ id: UInt64, _ encode: PayloadEncoder) throws(CBORError) {
        try link?.send(FrameHeader(.askReply, sequence: id), encode)
    }

    // MARK: - Ending

    /// Leaves the session, which goes on without this front.
    public func detach() {
        guard let link, link.isOpen else { return }
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
        case .attached:
            decode(Attached.self, payload) { attached in
                self.attached = attached
                window.reset(limit: attached.window)
                delegate?.sessionAttached(self, attached)
            }
        case .schema:
            decode([FeatureSchema].self, payload) { schemas = $0 }
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
            let code = RemoteFault.Code(rawValue: fault.code) ?? .failed
            answered(header.sequence, .failure(RemoteFault(code, fault.message)))
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
            link?.violate("an unreadable frame: \(error)")
            return
        }
        body(value)
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) {
        self.end = end
        let events = outstanding
        let waiting = self.waiting
        outstanding = [:]
        self.waiting = []
        for (_, continuation) in events.sorted(by: { $0.key < $1.key }) {
            continuation.resume(returning: .failure(Self.inDoubt))
        }
        for continuation in waiting { continuation.resume(returning: false) }
        delegate?.sessionEnded(self, end)
    }
}
