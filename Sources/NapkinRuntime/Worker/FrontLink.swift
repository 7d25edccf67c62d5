// FrontLink: a worker's side of one connection of an attached front.
//
// Layer      runtime: performs what OutboundQueue and SessionWorkerStateMachine decide.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its session until its link has ended, which it holds; owns its link; values
//            of states stay in the nodes.
// Spec       Protocol/SPEC.md, sections 7 (Delivery classes), 8 (Flow control) and 9 (Resume)

import NapkinCoding
import NapkinCore
public import NapkinProtocol
import NapkinTransport

/// One front on a session.
@MainActor
public final class FrontLink {
    public var id: UInt64 { events.front }
    public let isReadOnly: Bool
    /// Whether questions go to this front, and its answers count.
    let isAskable: Bool
    /// Events refused because of what the front did: dead nodes, no credit, read-only.
    @exclusivity(unchecked) public private(set) var refusedEvents = 0

    let link: Link
    let session: SessionHost
    /// What is known of the front beyond this connection.
    let events: FrontEvents
    /// What this connection has opened.
    let workflows: FrontWorkflows
    @exclusivity(unchecked) private var queue = OutboundQueue()
    /// The newest event's call, for the next one if its handler has finished by then.
    @exclusivity(unchecked) private var newestCall: EventCall?

    /// What the front has of large states; `nil` for one that takes them whole.
    private var sent: SentStates?
    /// Whether it is told how many fronts there are.
    let countsFronts: Bool
    /// What it has missed since it was told last.
    private var skipped = Skipped()

    /// The session's number for this connection.
    let connection: UInt64

    init(
        _ events: FrontEvents, connection: UInt64, link: Link, attach: Attach,
        session: SessionHost
    ) {
        self.events = events
        self.connection = connection
        self.link = link
        isReadOnly = attach.isReadOnly
        isAskable = !attach.isReadOnly && attach.declinesAsks != true
        countsFronts = attach.countsFronts == true
        workflows = FrontWorkflows(isReadOnly: attach.isReadOnly)
        self.session = session
        sent = attach.takesDeltas == true ? SentStates() : nil
        link.delegate = self
    }

    /// Who the front is, without how it does.
    var identity: FrontInfo {
        FrontInfo(
            front: id, client: link.hello?.client ?? "?", pid: link.peer?.processID ?? -1,
            uid: link.peer?.userID ?? .max, isReadOnly: isReadOnly)
    }

    public var info: FrontInfo {
        var info = identity
        info.idleSeconds = Int((Loop.shared.now - link.heardAt) / 1000)
        info.isSlow = link.isSlow
        return info
    }

    public var droppedEffects: Int { queue.droppedEffects }
    public var mergedStates: Int { queue.mergedStates }

    /// What waits for the front.
    var queues: SessionQueues.Front {
        var queues = SessionQueues.Front(events, isAway: false)
        queues.effects = queue.waitingEffects
        queues.states = queue.waitingStates
        queues.orderedBytes = queue.waitingOrderedBytes
        queues.socketBytes = link.pendingBytes
        queues.workflows = workflows.count
        queues.mergedStates = mergedStates
        queues.droppedEffects = droppedEffects
        queues.refusedEvents = refusedEvents
        return queues
    }

    // MARK: - To the front

    /// The newest value will be sent at the end of the tick, or when the front catches up.
    func stateChanged(_ key: OutboundQueue.StateKey) {
        if queue.offerState(key) == .queued {
            link.requestFlush()
        } else if link.isSlow {
            skipped.states += 1
        }
    }

    func effect(_ frame: [UInt8]) {
        // Many in one turn wait for nothing but its end, where the front keeps up.
        if !queue.hasRoom(forEffectOf: frame.count) { pump() }
        if queue.offerEffect(frame) == .queued { return link.requestFlush() }
        skipped.effects += 1
    }

    /// Sends a transition's frames. What is too large to go with its mount is sent before the last
    /// one, when there is room for it: a front that shows much need not be kept much for.
    func transition(_ frames: [[UInt8]], _ parts: TransitionParts) {
        for (index, frame) in frames.enumerated() {
            if index == frames.count - 1 { parts.states.forEach(stateChanged) }
            ordered(frame)
            session.observer?.transition(frame, to: self)
        }
        // The states that go with their mounts are what the front has then.
        guard sent != nil else { return }
        for case .mount(let mount) in parts.operations { sent?.mounted(mount) }
    }

    func forget(where isGone: (UInt32) -> Bool) { sent?.unmounted(where: isGone) }

    /// Sends a value that must arrive, or refuses the front to which it cannot be said.
    func ordered(_ header: FrameHeader, _ value: some Encodable) {
        do {
            ordered(try header.encoded(value))
        } catch {
            link.refuse(Refusal(.overloaded, "\(error.detail)"))
        }
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
        let action = events.machine.handlerFinished(sequence)
        if action == .ignore { return }
        pump()
        let header = FrameHeader(.reply, sequence: sequence)
        do {
            if action == .send, link.isOpen, queue.isEmpty, !link.isSlow, events.current === self {
                try link.send(header, keep: { events.machine.answerEncoded(sequence, $0) }, encode)
            } else {
                try keep(header, encode)
            }
        } catch {
            answer(sequence, RemoteFault(.failed, "the result cannot be encoded: \(error)"))
        }
    }

    @inline(never)
    private func keep(_ header: FrameHeader, _ encode: PayloadEncoder) throws(CBORError) {
        var writer = CBORWriter()
        try header.write(into: &writer, encode)
        events.answer(header.sequence, writer.copyBytes())
    }

    func fail(_ sequence: UInt64, _ fault: RemoteFault) {
        guard events.machine.handlerFinished(sequence) != .ignore else { return }
        answer(sequence, fault)
    }

    private func answer(_ sequence: UInt64, _ fault: RemoteFault) {
        do {
            let frame = try FrameHeader(.fault, sequence: sequence).encoded(
                Fault(code: fault.code.rawValue, message: fault.message))
            events.answer(sequence, frame)
        } catch {
            link.refuse(Refusal(.overloaded, "\(error.detail)"))
        }
    }

    /// Moves what waits into the link, as far as the front keeps up.
    @inline(__always)
    private func pump() {
        if !queue.isEmpty { pumpQueue() }
    }

    @inline(never)
    private func pumpQueue() {
        if skipped != Skipped(), !link.isSlow { tellSkipped() }
        while !link.isSlow, let item = queue.next() {
            switch item {
            case .state(let key): sendState(key)
            case .effect(let frame), .ordered(let frame): link.send(encoded: frame)
            }
        }
    }

    private func sendState(_ key: OutboundQueue.StateKey) {
        if key.method == MethodID.fronts.rawValue { return sendCount(key) }
        guard let node = session.node(key.node),
            let payload = node.payload(of: MethodID(rawValue: key.method))
        else { return }
        let old = sent?.sent(payload, key.node, key.method)
        let delta = old.flatMap {
            session.deltas.delta(from: $0, to: payload, key.node, key.method)
        }
        session.observer?.stateSent(
            delta == nil ? .state : .stateDelta, node, key.method, to: self, payload.bytes,
            bytes: (delta ?? payload.bytes).count)
        let header = FrameHeader(
            delta == nil ? .state : .stateDelta, node: key.node, epoch: session.epoch,
            method: key.method)
        do {
            try link.send(header) { (writer) throws(CBORError) in
                writer.append(delta ?? payload.bytes)
            }
        } catch {
            Anomaly.report(
                .unencodable(
                    feature: node.feature, method: MethodID(rawValue: key.method), error))
        }
    }

    /// How many fronts there are by now.
    private func sendCount(_ key: OutboundQueue.StateKey) {
        let header = FrameHeader(
            .state, node: key.node, epoch: session.epoch, method: key.method)
        link.send(header, value: session.fronts.count)
    }

    /// Before the newest of what it has missed.
    private func tellSkipped() {
        link.send(FrameHeader(.skipped), value: skipped)
        skipped = Skipped()
    }

    // MARK: - From the front

    private func eventReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        let action = events.machine.eventReceived(header.sequence, byteCount: payload.count)
        guard case .run = action, !isReadOnly else { return notRun(header, action) }
        guard header.epoch == session.epoch, let node = session.node(header.node) else {
            return refuseGone(header)
        }
        let call =
            if let observer = session.observer {
                observer.call(header, payload, node, self)
            } else {
                makeCall(node, header.sequence)
            }
        node.receive(MethodID(rawValue: header.method), payload, call)
    }

    @inline(never)
    private func notRun(_ header: FrameHeader, _ action: SessionWorkerStateMachine.EventAction) {
        switch action {
        case .run: refuse(header, .refused, "this front is attached read-only")
        case .refuseExcess where isReadOnly:
            refuse(header, .refused, "this front is attached read-only")
        case .refuseExcess:
            refuse(
                header, .overloaded,
                "more than \(Limits.eventWindow) events, or \(Limits.eventWindowBytesMax) bytes of "
                    + "them, are outstanding")
        case .answer(let frame): ordered(frame)
        case .answerUnknown:
            let what = "event \(header.sequence) ran, and its answer is not kept any more"
            answer(header.sequence, RemoteFault(.unknown, what))
        case .ignore: break
        case .violation(let what): link.violate(what)
        }
    }

    private func makeCall(_ node: FeatureNode, _ sequence: UInt64) -> EventCall {
        // Most handlers have returned by now, and nobody else has the call.
        if isKnownUniquelyReferenced(&newestCall), let call = newestCall, call.isFinished {
            call.reuse(for: node, sequence: sequence)
            return call
        }
        return makeNewCall(node, sequence)
    }

    @inline(never)
    private func makeNewCall(_ node: FeatureNode, _ sequence: UInt64) -> EventCall {
        let call = EventCall(node: node, front: self, sequence: sequence)
        newestCall = call
        return call
    }

    @inline(never)
    private func refuseGone(_ header: FrameHeader) {
        refuse(header, .gone, "node \(header.node) is not there any more")
    }

    @inline(never)
    private func refuse(_ header: FrameHeader, _ code: RemoteFault.Code, _ message: String) {
        refusedEvents += 1
        session.observer?.refused(header, code, by: self)
        fail(header.sequence, RemoteFault(code, message))
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
        case .received: receivedReceived(header.sequence)
        case .measured: measuredReceived(header, payload)
        case .detach: session.leave(self)
        case .openURL: workflows.openReceived(header.sequence, payload, from: self)
        case .cancelWorkflow: workflows.cancelReceived(header.sequence, from: self)
        case .pong: break
        default: violated(by: header.kind)
        }
    }

    private func receivedReceived(_ count: UInt64) {
        if let what = events.machine.receivedReceived(count) { link.violate(what) }
    }

    @inline(never)
    private func measuredReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        guard let measured = payload.decoded(Measured.self) else {
            return link.violate("an unreadable measured frame")
        }
        // Nobody may want to know any more.
        session.observer?.measuredReceived(header, measured, from: self)
    }

    @inline(never)
    private func violated(by kind: FrameKind) {
        link.violate("a \(kind) frame from an attached front")
    }

    public func linkWillFlush(_ link: Link) {
        pump()
        session.observer?.willFlush(self)
    }

    public func linkDidDrain(_ link: Link) {
        pump()
    }

    public func linkEnded(_ link: Link, _ end: LinkEnd) {
        newestCall = nil
        workflows.connectionEnded()
        session.frontLeft(self)
    }
}
