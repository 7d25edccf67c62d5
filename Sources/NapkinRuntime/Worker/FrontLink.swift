// FrontLink: a worker's side of one attached front.
//
// Layer      runtime: performs what OutboundQueue and CreditWindow decide.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its session until its link has ended, which it holds; owns its link; values
//            of states stay in the nodes.
// Spec       Protocol/SPEC.md, sections 7 (Delivery classes) and 8 (Flow control)

import NapkinCoding
import NapkinCore
public import NapkinProtocol
import NapkinTransport

/// One front on a session.
@MainActor
public final class FrontLink {
    public let id: UInt64
    public let isReadOnly: Bool
    /// Whether questions go to this front, and its answers count.
    let isAskable: Bool
    /// Events refused because of what the front did: dead nodes, no credit, read-only.
    @exclusivity(unchecked) public private(set) var refusedEvents = 0

    let link: Link
    let session: SessionHost
    @exclusivity(unchecked) private var queue = OutboundQueue()
    @exclusivity(unchecked) private var credit = CreditWindow()
    /// A finished call, kept for the next event.
    @exclusivity(unchecked) private var spareCall: EventCall?

    init(
        id: UInt64, link: Link, isReadOnly: Bool, isAskable: Bool, session: SessionHost
    ) {
        self.id = id
        self.link = link
        self.isReadOnly = isReadOnly
        self.isAskable = isAskable
        self.session = session
        link.delegate = self
    }

    public var info: FrontInfo {
        FrontInfo(
            front: id, client: link.hello?.client ?? "?", pid: link.peer?.processID ?? -1,
            uid: link.peer?.userID ?? .max)
    }

    public var droppedEffects: Int { queue.droppedEffects }
    public var mergedStates: Int { queue.mergedStates }

    // MARK: - To the front

    /// The newest value will be sent at the end of the tick, or when the front catches up.
    func stateChanged(_ key: OutboundQueue.StateKey) {
        if queue.offerState(key) == .queued { link.requestFlush() }
    }

    func effect(_ frame: [UInt8]) {
        if queue.offerEffect(frame) == .queued { link.requestFlush() }
    }

    /// Sends frames that must arrive, after everything offered before them.
    func ordered(_ frames: [UInt8]) {
        pump()
        if queue.isEmpty, !link.isSlow {
            link.send(encoded: frames)
        } else if queue.offerOrdered(frames) == .overflow {
            let refusal = Refusal(
                .overloaded, "the front does not read what it is sent; attach again")
            link.refuse(refusal)
        }
    }

    func reply(to sequence: UInt64, _ encode: PayloadEncoder) {
        credit.give()
        pump()
        let header = FrameHeader(.reply, sequence: sequence)
        do {
            if queue.isEmpty, !link.isSlow {
                try link.send(header, encode)
            } else {
                try queue(header, encode)
            }
        } catch {
            failEncoding(error, sequence)
        }
    }

    @inline(never)
    private func queue(_ header: FrameHeader, _ encode: PayloadEncoder) throws(CBORError) {
        var writer = CBORWriter()
        try header.write(into: &writer, encode)
        ordered(writer.copyBytes())
    }

    @inline(never)
    private func failEncoding(_ error: CBORError, _ sequence: UInt64) {
        send(fault: RemoteFault(.failed, "the result cannot be encoded: \(error)"), sequence)
    }

    func fail(_ sequence: UInt64, _ fault: RemoteFault) {
        credit.give()
        send(fault: fault, sequence)
    }

    private func send(fault: RemoteFault, _ sequence: UInt64) {
        ordered(
            FrameHeader(.fault, sequence: sequence).encoded(
                Fault(code: fault.code.rawValue, message: fault.message)))
    }

    /// Moves what waits into the link, as far as the front keeps up.
    @inline(__always)
    private func pump() {
        if !queue.isEmpty { pumpQueue() }
    }

    @inline(never)
    private func pumpQueue() {
        while !link.isSlow, let item = queue.next() {
            switch item {
            case .state(let key): sendState(key)
            case .effect(let frame), .ordered(let frame): link.send(encoded: frame)
            }
        }
    }

    private func sendState(_ key: OutboundQueue.StateKey) {
        guard let node = session.node(key.node),
            let payload = node.payload(of: MethodID(rawValue: key.method))
        else { return }
        let header = FrameHeader(
            .state, node: key.node, epoch: session.epoch, method: key.method)
        do {
            try link.send(header) { (writer) throws(CBORError) in writer.append(payload.bytes) }
        } catch {
            Anomaly.report(
                .unencodable(
                    feature: node.feature, method: MethodID(rawValue: key.method), error))
        }
    }

    // MARK: - From the front

    private func eventReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard !isReadOnly else {
            return refuse(header, .refused, "this front is attached read-only")
        }
        guard credit.take() else {
            return refuseExcess(header)
        }
        guard header.epoch == session.epoch, let node = session.node(header.node) else {
            credit.give()
            return refuseGone(header)
        }
        var call = makeCall(node, header.sequence)
        node.receive(MethodID(rawValue: header.method), payload, call)
        // Most handlers have returned by now, and nobody else has the call.
        if call.isFinished, isKnownUniquelyReferenced(&call) { spareCall = call }
    }

    private func makeCall(_ node: FeatureNode, _ sequence: UInt64) -> EventCall {
        guard let call = spareCall.take() else {
            return EventCall(node: node, front: self, sequence: sequence)
        }
        call.reuse(for: node, sequence: sequence)
        return call
    }

    @inline(never)
    private func refuseGone(_ header: FrameHeader) {
        refuse(header, .gone, "node \(header.node) is not there any more")
    }

    @inline(never)
    private func refuseExcess(_ header: FrameHeader) {
        refuse(header, .overloaded, "more than \(credit.limit) events are outstanding")
    }

    @inline(never)
    private func refuse(_ header: FrameHeader, _ code: RemoteFault.Code, _ message: String) {
        refusedEvents += 1
        send(fault: RemoteFault(code, message), header.sequence)
    }

    @inline(never)
    private func askReplyReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        session.asks.answered(header.sequence, by: self, Payload(Array(payload)))
    }
}

extension FrontLink: LinkDelegate {
    public func linkEstablished(_ link: Link) {}

    public func link(
        _ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) {
        switch header.kind {
        case .event: eventReceived(header, payload)
        case .askReply: askReplyReceived(header, payload)
        case .detach: link.close()
        case .pong: break
        default: violated(by: header.kind)
        }
    }

    @inline(never)
    private func violated(by kind: FrameKind) {
        link.violate("a \(kind) frame from an attached front")
    }

    public func linkWillFlush(_ link: Link) { pump() }

    public func linkDidDrain(_ link: Link) {
        pump()
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) {
        spareCall = nil
        session.frontLeft(self)
    }
}

extension FrameHeader {
    /// A whole frame with a value of a fixed, small shape.
    package func encoded(_ value: some Encodable) -> [UInt8] {
        var writer = CBORWriter()
        do {
            try write(into: &writer) { (writer) throws(CBORError) in try writer.write(value) }
        } catch {
            preconditionFailure("a \(kind) frame cannot be encoded: \(error)")
        }
        return writer.copyBytes()
    }
}
