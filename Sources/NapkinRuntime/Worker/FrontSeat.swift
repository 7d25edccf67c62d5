// FrontSeat: a worker's side of one front, across connections: shows, asks, and answers events.
//
// Ownership  kept by its session while the front is connected or may come back, and by its events'
//            handlers; owns its connection while it has one. The values of states stay in the
//            nodes.
// Spec       Protocol/SPEC.md, sections 7 (Delivery classes), 8 (Flow control) and 9 (Resume)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

/// One front of a session, connected or not.
@MainActor
public final class FrontSeat {
    public let id: UInt64
    let session: SessionHost
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of the session, the link or an encoder. The machine and the queue call
    // nobody.
    @exclusivity(unchecked) var machine: SeatStateMachine
    /// The connection; `nil` while the front is away.
    @exclusivity(unchecked) private(set) var link: Link?
    /// When a frame came from the front that is no ping, in the loop's milliseconds.
    @exclusivity(unchecked) var heardAt: UInt64 = 0
    /// The session's number for the newest connection.
    private(set) var connection: UInt64 = 0
    /// The front whose pages it is told of, while it is among the session's connected fronts.
    var listedAudience: UInt64?
    /// The front's identity on its newest connection, without its idle time and its speed.
    private(set) var identity: FrontInfo
    /// The front whose pages this one shows: itself, or the one that it mirrors.
    @exclusivity(unchecked) private(set) var audience: UInt64

    /// Events refused because of the front: unmounted nodes, no credit, read-only.
    @exclusivity(unchecked) public internal(set) var refusedEvents = 0
    /// The newest event's call, which the next event reuses if its handler has finished by then.
    @exclusivity(unchecked) var newestCall: EventCall?
    /// When its handler began, in the clock's nanoseconds; 0 once it has been handled up to its
    /// first suspension.
    @exclusivity(unchecked) var newestBegan: UInt64 = 0
    /// The calls that were not answered at once, by their events' numbers.
    @exclusivity(unchecked) var running = SequenceTable<EventCall>()

    // The state of the current connection.
    @exclusivity(unchecked) var queue = OutboundQueue()
    private(set) var workflows = FrontWorkflows()
    /// The large states that the front has; `nil` if it takes states whole.
    @exclusivity(unchecked) private(set) var sent: SentStates?
    /// The front's place in the logs.
    @exclusivity(unchecked) var logs = SeatLogs()
    /// The messages that the front has missed since it was last told.
    @exclusivity(unchecked) var skipped = Skipped()
    /// How much it has taken of what all fronts are about to be sent.
    @exclusivity(unchecked) var sharedTaken = SharedOutput.Mark()

    init(_ id: UInt64, session: SessionHost) {
        self.id = id
        self.session = session
        machine = SeatStateMachine(front: id, epoch: session.epoch, rate: session.eventRate)
        // Until it comes: only the worker's user has fronts here.
        identity = FrontInfo(front: id, client: "?", pid: 0, uid: geteuid())
        audience = id
    }

    // MARK: - Connections

    /// Gives the front a connection. One that is still open is closed.
    func take(_ link: Link, _ attach: Attach, connection: UInt64) {
        let former = self.link
        if former != nil { connectionEnded() }
        self.link = link
        heardAt = link.heardAt
        self.connection = connection
        identity = FrontInfo(
            front: id, client: link.hello?.client ?? "?", pid: link.peer?.processID ?? 0,
            uid: link.peer?.userID ?? geteuid(), isReadOnly: attach.isObserver,
            mirrors: attach.mirrors)
        audience = attach.mirrors ?? id
        machine.attached(attach)
        queue = OutboundQueue()
        workflows = FrontWorkflows()
        sent = attach.takesDeltas == true ? SentStates() : nil
        skipped = Skipped()
        logs = SeatLogs()
        if let journal = session.journal {
            // The welcome waits for nothing, and is not dropped with what does.
            link.flush()
            link.journal = journal
        }
        link.delegate = SeatReader(self, link)
        guard let former else { return }
        former.close()
        session.onFrontGone?()
    }

    /// Detaches the front: tells it why, and ends the workflows of its connection.
    func dismiss(_ refusal: Refusal) {
        workflows.connectionEnded(machine.workflows.connectionEnded())
        refuse(refusal)
    }

    private func connectionEnded() {
        newestHandled()
        newestCall = nil
        workflows.connectionEnded(machine.workflows.connectionEnded())
        session.observer?.connectionEnded(connection)
    }

    // MARK: - To the front

    /// Whether the front is shown what is for the front of this number alone; `nil` is for all.
    func shows(_ recipient: UInt64?) -> Bool { recipient == nil || recipient == audience }

    /// Sends frames of effects if nothing is before them; whether it has.
    func sendsNow(_ effects: UnsafeRawBufferPointer) -> Bool {
        guard let link, queue.isEmpty, link.journal == nil, !link.isSlow else { return false }
        link.send(unkept: effects)
        return true
    }

    func effect(_ frame: [UInt8]) {
        if !session.shared.isEmpty { takeShared() }
        queueEffect(frame)
    }

    func queueEffect(_ frame: [UInt8]) {
        // If the front keeps up, effects wait only until the end of the turn.
        if !queue.hasRoom(forEffectOf: frame.count) { pump() }
        if queue.offerEffect(frame) == .queued { return requestFlush() }
        skipped.effects += 1
    }

    func requestFlush() { link?.requestFlush() }

    /// Sends a transition's frames. States too large to go with their mount are sent before the
    /// last frame if there is room, so that little is kept for a front that shows much.
    func transition(_ frames: [[UInt8]], _ parts: TransitionParts) {
        if !session.shared.isEmpty { takeShared() }
        for (index, frame) in frames.enumerated() {
            if index == frames.count - 1 { parts.states.forEach(stateMounted) }
            ordered(frame)
            session.observer?.transition(frame, to: self)
        }
        // The front now has the states that went with their mounts.
        guard sent != nil else { return }
        for case .mount(let mount) in parts.operations { sent?.mounted(mount) }
    }

    private func stateMounted(_ key: OutboundQueue.StateKey) {
        _ = queue.offerState(key, isMounted: true)
        requestFlush()
    }

    func forget(where isGone: (UInt32) -> Bool) {
        sent?.unmounted(where: isGone)
        logs.unmounted(where: isGone)
    }

    /// Sends the reason, then closes the connection.
    func refuse(_ refusal: Refusal) { link?.refuse(refusal) }

    /// Sends a value that must arrive; refuses the front if the value cannot be encoded.
    func ordered(_ header: FrameHeader, _ value: some Encodable) {
        do {
            ordered(try header.encoded(value))
        } catch {
            refuse(Refusal(.overloaded, "\(error.detail)"))
        }
    }

    /// Sends frames that must arrive, after everything offered before them.
    func ordered(_ frames: [UInt8]) {
        guard let link else { return }
        pump()
        if queue.isEmpty, !link.isSlow, !isHeld {
            link.send(encoded: frames)
        } else if queue.offerOrdered(frames) != .overflow {
            link.requestFlush()
        } else if isHeld, !link.isSlow {
            // More than is ever kept: it goes into the link, where nothing can be taken back.
            pumpQueue()
            link.send(encoded: frames)
        } else {
            refuse(Refusal(.overloaded, "the front does not read what it is sent; attach again"))
        }
    }

    /// Moves queued output into the link while the front keeps up, unless a handler may still take
    /// it back.
    @inline(__always)
    func pump() {
        if !session.shared.isEmpty { takeShared() }
        if !queue.isEmpty, !isHeld { pumpQueue() }
    }

    @inline(never)
    private func pumpQueue() {
        guard let link else { return }
        if skipped != Skipped(), !link.isSlow {
            // This comes before the newest of what the front has missed.
            link.send(FrameHeader(.skipped), value: skipped)
            skipped = Skipped()
        }
        while !link.isSlow, let item = queue.next() {
            switch item {
            case .state(let key):
                // Its newest value may have been presented after items that wait behind it.
                for log in queue.takeLogs(of: key.node) { sendLog(log, on: link) }
                sendState(key, on: link)
            case .mountedState(let key): sendState(key, on: link)
            case .log(let key): sendLog(key, on: link)
            case .effect(let frame), .ordered(let frame): link.send(encoded: frame)
            }
        }
    }

    private func sendState(_ key: OutboundQueue.StateKey, on link: Link) {
        let method = MethodID(rawValue: key.method)
        if method == .fronts {
            let header = FrameHeader(
                .state, node: key.node, epoch: session.epoch, method: key.method)
            return link.send(header, value: session.fronts.count)
        }
        guard let node = session.node(key.node), let payload = node.payload(of: method) else {
            return
        }
        let old = sent?.sent(payload, key.node, key.method)
        let delta = old.flatMap {
            session.deltas.delta(from: $0, to: payload, key.node, key.method)
        }
        let kind: FrameKind = delta == nil ? .state : .stateDelta
        let bytes = delta ?? payload.bytes
        session.observer?.stateSent(
            kind, node, key.method, to: self, payload.bytes, bytes: bytes.count)
        let header = FrameHeader(kind, node: key.node, epoch: session.epoch, method: key.method)
        do {
            if link.journal != nil, node.isProvisional(method) {
                try link.send(provisional: header, bytes)
            } else {
                try link.send(header) { (writer) throws(CBORError) in writer.append(bytes) }
            }
        } catch {
            Anomaly.report(.unencodable(feature: node.feature, method: method, error))
        }
    }

    // MARK: - The connection

    func linkWillFlush() {
        pump()
        session.observer?.willFlush(self)
    }

    func linkEnded(_ link: Link) {
        guard self.link === link else { return }
        connectionEnded()
        self.link = nil
        machine.events.connectionEnded()
        session.frontLeft(self)
    }
}
