// Peer resume: who a front says that it is, what it sends again, and what it confirms.
//
// Layer      test executable. The oracle: Protocol/SPEC.md says it, not the worker's code.
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinProtocol
import ProofSupport

/// Who a front says that it was.
private enum Claim {
    case departed, live, other, unknown, stale, half, forgotten
}

extension Peer {
    private static let claims = Lots<Claim>([
        (55, .departed), (15, .live), (6, .other), (6, .unknown), (6, .stale), (6, .half),
        (6, .forgotten),
    ])
    /// Of those that are away, so many of the newest return. Fewer than a worker keeps. Chosen.
    private static let returnersMax = 24

    // MARK: - Identity

    /// Puts an identity into the attach, or what looks like one.
    func claim() {
        claimed = nil
        // A connection to a session that has been killed is over: it takes nobody's place.
        guard let session, permittedEnds.isEmpty else { return }
        guard world.random.percent(50) else { return }
        let away = session.departed.suffix(Self.returnersMax).randomElement(using: &world.random)
        switch Self.claims.draw(&world.random) {
        case .departed: claim(away)
        case .live: claim(liveFront(of: session))
        case .other:
            let others = world.sessions.filter { $0 !== session }
            claim(others.compactMap { $0.departed.last }.first)
        case .unknown:
            attach.previousFront = world.random.next() | 1 << 40
            attach.previousEpoch = session.epoch
        case .stale:
            attach.previousFront = away?.identity?.front
            attach.previousEpoch = session.epoch ^ (1 + UInt32(world.random.below(1000)))
        case .half:
            let isNumber = world.random.percent(50)
            attach.previousFront = isNumber ? away?.identity?.front : nil
            attach.previousEpoch = isNumber ? nil : session.epoch
        case .forgotten: claim(session.detached.randomElement(using: &world.random))
        }
    }

    func claim(_ front: KnownFront?) {
        guard let identity = front?.identity else { return }
        claimed = front
        attach.previousFront = identity.front
        attach.previousEpoch = identity.epoch
    }

    /// Of another connection that is open, and about which nothing is in doubt.
    private func liveFront(of session: KnownSession) -> KnownFront? {
        let live = world.fronts.filter {
            $0 !== self && $0.session === session && $0.stage == .attached && $0.isConfirmed
                && $0.permittedEnds.isEmpty && $0.known?.standing === $0
        }
        return live.randomElement(using: &world.random)?.known
    }

    /// The attach will be taken: the front goes on, or is a new one.
    func resume() throws {
        guard let session else { return }
        guard let claimed, claimed.session === session else { return adoptNew(in: session) }
        switch session.knows(claimed) {
        case .yes:
            mustResume = true
            takeOver(claimed)
        case .no: adoptNew(in: session)
        case .perhaps:
            mustResume = nil
            try settle()
        }
    }

    private func adoptNew(in session: KnownSession) {
        mustResume = false
        let front = KnownFront(in: session)
        front.standing = self
        known = front
    }

    /// The front's other connection, if it has one, is closed; what arrives on it is dropped.
    private func takeOver(_ front: KnownFront) {
        if let former = front.standing {
            former.mustEnd([.silence, .violation])
            let isLate = mayBeLate && front.started == front.sent && world.random.percent(50)
            if isLate { sendLate(on: former, front) }
            front.disconnected()
        }
        adopt(front)
    }

    func adopt(_ front: KnownFront) {
        front.session.departed.removeAll { $0 === front }
        front.standing = self
        known = front
        for (sequence, event) in front.events where !event.isSeen {
            expect(sequence, event.allowed, .perhaps)
        }
    }

    /// An event on the former connection, before or after the worker hears of the new one.
    private func sendLate(on former: Peer, _ front: KnownFront) {
        let header = FrameHeader(
            .event, node: former.nodes.keys.min() ?? 1, epoch: former.epoch,
            sequence: front.sent + 1, method: Method.fail)
        let allowed: Outcome = former.isReadOnly ? [.readOnly, .failed] : .failed
        front.startPerhaps(
            header.sequence, KnownEvent(header: header, allowed: allowed, timing: .soon))
        former.expect(header.sequence, allowed, .perhaps)
        former.send(header)
        if world.random.percent(50) {
            former.write()
        } else {
            afterWrite = { former.write() }
        }
    }

    /// The worker has said who this front is.
    func identified(_ attached: Attached) throws {
        number = attached.front
        guard attached.isResumed == mustResume ?? attached.isResumed else {
            throw violation(
                attached.isResumed ? "resumed, but it may not be" : "not resumed, but it must be")
        }
        if attached.isResumed {
            guard attached.front == attach.previousFront, let claimed else {
                throw violation("resumed as another front")
            }
            if mustResume == nil { adopt(claimed) }
            return
        }
        try mustBeNew(attached)
        if mustResume == nil, let session { adoptNew(in: session) }
        known?.identity = SessionIdentity(front: attached.front, epoch: attached.epoch)
    }

    private func mustBeNew(_ attached: Attached) throws {
        let newest = session?.newestFront
        guard newest?.epoch != attached.epoch || (newest?.front ?? 0) < attached.front else {
            throw violation("the front's number \(attached.front) has been given before")
        }
        session?.newestFront = SessionIdentity(front: attached.front, epoch: attached.epoch)
    }

    // MARK: - Events that were sent before

    /// Sends one again that was sent on an earlier connection; false if there is none. What may
    /// never have arrived comes before anything new.
    func sendAgain() -> Bool {
        guard stage == .attached, let front = known, newest < front.sent else {
            return false
        }
        let isDoubtful = front.started < front.sent
        if newest < front.started, !isDoubtful || world.random.percent(50) {
            guard isDoubtful || world.random.percent(80) else { return false }
            let distance = min(front.started - newest, 1 + (world.random.next() & 3))
            sendAgain(newest + distance, isChanged: world.random.percent(20))
        } else {
            sendAgain(front.started + 1)
        }
        return true
    }

    /// As a front must: all that is without an answer, in order.
    func sendAllAgain() {
        guard stage == .attached, let front = known else { return }
        for (sequence, event) in front.events.sorted(by: { $0.key < $1.key })
        where sequence > newest && !event.isSeen { sendAgain(sequence) }
    }

    func sendAgain(_ sequence: UInt64, isChanged: Bool = false) {
        guard let front = known, let event = front.events[sequence] else { return }
        var header = event.header
        var payload = event.payload
        if isChanged, sequence <= front.started {
            header.method = Method.write
            header.node ^= 3
            payload = Payloads.maybe
        }
        send(header, payload)
        newest = sequence
        let isDoubtful = sequence > front.started
        front.sentAgain(sequence)
        if event.isSeen {
            if !event.isHere { expect(sequence, event.allowedAgain, .now) }
            return
        }
        dropDoubt(sequence)
        // A front that is read-only now may not have been so when it was sent first.
        let allowed = isDoubtful && isReadOnly ? event.allowed.union(.readOnly) : event.allowedAgain
        if isDoubtful { front.events[sequence]?.allowed = allowed }
        expect(sequence, allowed, event.timing)
        if event.timing == .waiting { waits.append(sequence) }
    }

    /// Instead of an answer that may come one is due.
    private func dropDoubt(_ sequence: UInt64) {
        let list = requests[sequence]?.filter { $0.timing != .perhaps } ?? []
        requests[sequence] = list.isEmpty ? nil : list
    }

    // MARK: - Answers

    /// An event's answer: the same as on an earlier connection, if it is one that was kept.
    func eventAnswered(
        _ header: FrameHeader, _ outcome: Outcome, _ payload: UnsafeRawBufferPointer
    ) throws {
        try answered(header.sequence, outcome)
        arrived.append(header.sequence)
        guard let front = known, var event = front.events[header.sequence] else { return }
        event.isSeen = true
        if front.standing === self {
            event.isHere = true
            event.retention = .kept
        }
        if outcome == .unknown {
            event.allowed.insert(.unknown)
        } else if let answer = event.answer, !event.allowed.contains(.unknown) {
            guard answer.kind == header.kind, answer.payload.elementsEqual(payload) else {
                throw violation("event \(header.sequence) has got two different answers")
            }
        }
        event.answer = (header.kind, Array(payload))
        front.events[header.sequence] = event
        if arrived.count - forgotten > Limits.answersKeptMax { forget(upTo: forgotten + 1) }
    }

    /// The worker does not keep the first answers of this connection any more.
    private func forget(upTo count: Int) {
        guard count > forgotten else { return }
        for sequence in arrived[forgotten..<count] where known?.standing === self {
            known?.forgot(sequence)
        }
        forgotten = count
    }

    // MARK: - received

    /// Of the answers that have arrived, or of more, or of fewer than before.
    func confirm() {
        let count = UInt64(arrived.count)
        guard stage == .attached else {
            send(FrameHeader(.received, sequence: count))
            return conclude(.violation)
        }
        if !isConfirmed, session?.isMortal == true { mayEnd(.violation) }
        let dice = world.random.below(100)
        if dice < 8, confirmed > 0 {
            sendReceived(confirmed - 1 - world.random.next() % confirmed)
            return conclude(.violation)
        }
        if dice < 16 {
            // One more than was sent, if nothing can be on its way.
            sendReceived(requests.isEmpty ? count + 1 : count + 1 << 40)
            return conclude(.violation)
        }
        confirm(confirmed + world.random.next() % (count - confirmed + 1))
    }

    func confirm(_ count: UInt64) {
        sendReceived(count)
        confirmed = count
        forget(upTo: Int(count))
    }

    private func sendReceived(_ count: UInt64) {
        send(FrameHeader(.received, sequence: count), world.random.percent(10) ? Payloads.yes : [])
    }
}
