// Peer events: calls of methods, with and without sense.
//
// Layer      test executable.
// Isolation  none of its own; one thread.
// Spec       Protocol/SPEC.md, sections 6.16 (event) and 8 (Flow control)

import NapkinProtocol

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
        let known = isConfirmed ? nodes.keys.min() ?? 1 : session?.root ?? 1
        let epoch = isConfirmed ? self.epoch : session?.epoch ?? 0
        var header = FrameHeader(
            .event, flags: world.random.percent(3) ? 0x80 : 0, node: known, epoch: epoch,
            sequence: drawSequence(), method: Method.fail)
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
        guard !isReadOnly else { return expect(header.sequence, .readOnly, .now) }
        // The tree of a session that is killed now and then may not stand yet, or not any more.
        guard isConfirmed || !session.isMortal else {
            mayEnd(.violation)
            return expect(header.sequence, allowed.union(.gone), timing == .now ? .soon : timing)
        }
        expect(header.sequence, allowed, timing)
        if timing == .waiting { waits.append(header.sequence) }
        // A front whose session was killed may not know it yet: what it calls may not be there.
        if method == Method.release, isConfirmed, !permittedEnds.contains(.sessionEnded) {
            world.released(session, epoch: epoch)
        }
    }

    /// Ascending, as it should be, or anything else.
    private func drawSequence() -> UInt64 {
        switch world.random.below(100) {
        case 0..<70:
            lastSequence += 1
            return lastSequence
        case 70..<78: return lastSequence
        case 78..<86: return lastSequence > 0 ? lastSequence - 1 : 0
        case 86..<90: return 0
        case 90..<96: return .max - UInt64(world.random.below(4))
        default: return world.random.next()
        }
    }

    /// More events than the window allows, all of which wait; nothing else may be due.
    /// Returns how many must be refused: those that find the window used up.
    func overspend(by excess: Int) throws {
        try settle()
        guard stage == .attached, !isReadOnly, let root = nodes.keys.min() else { return }
        let before = overloads
        for _ in 0..<Limits.eventWindow + excess {
            lastSequence += 1
            let header = FrameHeader(.event, node: root, epoch: epoch, sequence: lastSequence)
            call(header, Method.wait, [.reply, .overloaded], .waiting)
        }
        let burst = lastSequence - UInt64(Limits.eventWindow + excess)
        try settle()
        guard stage == .attached, permittedEnds.isEmpty else { return }
        // Those from before the burst that still run have taken their share.
        let older = requests.reduce(0) { count, entry in
            let isOlder = entry.key <= burst || entry.key > lastSequence
            return count + (isOlder ? entry.value.count : 0)
        }
        guard overloads - before == excess + older else {
            throw violation(
                "\(overloads - before) of the events beyond the window were refused; "
                    + "\(excess + older) had to be")
        }
    }
}
