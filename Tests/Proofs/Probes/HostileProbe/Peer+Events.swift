// Peer events: calls of methods, with and without sense.
//
// Spec       Protocol/SPEC.md, sections 6.16 (event) and 8 (Flow control)

import NapkinProtocol
import ProofSupport

/// What an event is about.
enum EventMove {
    case release, fail, write, tear, replace, wait, empty, burn
    case staleEpoch, deadNode, unknownNode, noNode
    case unknownMethod, othersMethod, strangeArguments
}

extension Peer {
    private static let calls = Lots<EventMove>([
        (14, .release), (14, .fail), (6, .write), (6, .tear), (5, .replace), (6, .wait),
        (4, .empty), (4, .burn), (12, .staleEpoch), (6, .deadNode), (8, .unknownNode),
        (3, .noNode), (5, .unknownMethod), (3, .othersMethod), (4, .strangeArguments),
    ])

    func event() {
        let node = isConfirmed ? nodes.keys.min() ?? 1 : session?.root ?? 1
        let epoch = isConfirmed ? self.epoch : session?.epoch ?? 0
        let (sequence, isDue) = drawSequence()
        var header = FrameHeader(
            .event, flags: world.random.percent(3) ? 0x80 : 0, node: node, epoch: epoch,
            sequence: sequence, method: Method.fail)
        guard isDue else {
            send(header)
            return conclude(.violation)
        }
        let move = Self.calls.draw(&world.random)
        switch move {
        case .release: call(header, Method.release, .reply, .soon)
        case .fail: call(header, Method.fail, .failed, .soon)
        case .write: call(header, Method.write, .reply, .soon)
        case .tear: call(header, Method.tear, .reply, .soon)
        case .replace: call(header, Method.replace, .reply, .soon)
        case .wait: call(header, Method.wait, .reply, .waiting)
        case .empty: call(header, Method.empty, .reply, .later)
        case .burn:
            guard let note = nodes.first(where: { $0.value == Payloads.note })?.key else {
                header.node = .max
                return call(header, Method.burn, .gone, .now)
            }
            header.node = note
            call(header, Method.burn, [.reply, .gone, .cancelled], .later)
        case .staleEpoch:
            header.epoch = epoch ^ UInt32(1 + world.random.below(1 << 30))
            call(header, Method.fail, .gone, .now)
        case .deadNode:
            guard let dead = session?.dead, !dead.isEmpty else { fallthrough }
            header.node = dead[world.random.below(dead.count)]
            call(header, Method.burn, .gone, .now)
        case .unknownNode:
            header.node = .max - UInt32(world.random.below(1000))
            call(header, Method.fail, .gone, .now)
        case .noNode:
            header.node = 0
            call(header, Method.fail, .gone, .now)
        case .unknownMethod: call(header, Method.unknown, .unimplemented, .now)
        case .othersMethod: call(header, Method.burn, .unimplemented, .now)
        case .strangeArguments:
            call(header, Method.fail, .unimplemented, .now, Payloads.maybe)
        }
    }

    func call(
        _ header: FrameHeader, _ method: UInt32, _ allowed: Outcome, _ timing: Timing,
        _ payload: [UInt8] = []
    ) {
        var header = header
        header.method = method
        send(header, payload)
        guard stage == .attached, let session else { return conclude(.violation) }
        let (allowed, timing) = isReadOnly ? (.readOnly, .now) : (allowed, timing)
        newest = header.sequence
        known?.start(
            header.sequence,
            KnownEvent(header: header, payload: payload, allowed: allowed, timing: timing))
        guard !isReadOnly else { return expect(header.sequence, allowed, timing) }
        // The tree of a session that is killed now and then may not stand yet, or not any more.
        guard isConfirmed || !session.isMortal else {
            mayEnd(.violation)
            // Whether it counts is not known either.
            known?.events[header.sequence]?.allowed = allowed.union(.gone)
            return expect(header.sequence, allowed.union(.gone), timing == .now ? .soon : timing)
        }
        expect(header.sequence, allowed, timing)
        if timing == .waiting { waits.append(header.sequence) }
        // A front whose session was killed may not know it yet: what it calls may not be there.
        if method == Method.release, isConfirmed, !permittedEnds.contains(.sessionEnded) {
            world.released(session, epoch: epoch)
        }
    }

    /// The next number, or one that ends the connection. Whoever is not attached may send any.
    private func drawSequence() -> (UInt64, isDue: Bool) {
        let next = nextSequence
        guard stage == .attached else { return (world.random.next() >> 60, true) }
        let dice = world.random.below(1000)
        if dice < 25 { return (newest - min(newest, world.random.next() & 3), false) }
        // A gap, also beyond what may have arrived.
        if dice < 30 { return ((known?.sent ?? 0) + 2 + (world.random.next() & 7), false) }
        return dice < 35 ? (.max - (world.random.next() & 3), false) : (next, true)
    }

    /// The number of a new event. What may not have arrived has been sent again before.
    var nextSequence: UInt64 { (known?.sent ?? newest) &+ 1 }

    /// Whether its calls run, and numbers are left for more of them than the window has.
    var mayCall: Bool {
        stage == .attached && !isReadOnly && newest < .max - 2 * UInt64(Limits.eventWindow)
    }

    // MARK: - Credits

    /// More events than the window allows, all of which wait; nothing else may be due. Those that
    /// find the window used up must be refused.
    func overspend(by excess: Int) throws {
        sendAllAgain()
        try settle()
        guard stage == .attached, !isReadOnly, nodes.keys.min() != nil else { return }
        let before = overloads
        let burst = nextSequence
        wait(Limits.eventWindow + excess, [.reply, .overloaded])
        try settle()
        guard stage == .attached, permittedEnds.isEmpty else { return }
        // Those from before the burst that still run have taken their share.
        var older = 0
        var doubtful = 0
        for (sequence, list) in requests where sequence < burst || sequence >= nextSequence {
            older += list.filter { $0.timing != .perhaps }.count
            doubtful += list.filter { $0.timing == .perhaps }.count
        }
        let due = excess + older...excess + older + doubtful
        guard due.contains(overloads - before) else {
            throw violation(
                "\(overloads - before) of the events beyond the window were refused; "
                    + "\(due) had to be")
        }
    }

    /// Handlers that wait keep their credits when the front returns: nothing more may start, but
    /// for the handlers that ended with the connection.
    func overspendAgain(by excess: Int, ending: Int) throws {
        sendAllAgain()
        try settle()
        guard stage == .attached, permittedEnds.isEmpty else { return }
        let before = overloads
        wait(excess, [.reply, .overloaded])
        try settle()
        guard stage == .attached, permittedEnds.isEmpty else { return }
        guard (excess - ending...excess).contains(overloads - before) else {
            throw violation(
                "\(overloads - before) of \(excess) events were refused, and \(ending) could start")
        }
    }

    /// Handlers that may run, and do not wait for a release.
    var endingHandlers: Int {
        requests.values.reduce(0) { $0 + $1.filter { $0.timing != .waiting }.count }
    }

    private func wait(_ count: Int, _ allowed: Outcome) {
        let root = nodes.keys.min() ?? 1
        for _ in 0..<count {
            let header = FrameHeader(.event, node: root, epoch: epoch, sequence: nextSequence)
            call(header, Method.wait, allowed, .waiting)
        }
    }
}
