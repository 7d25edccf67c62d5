// Peer reading: each frame that arrives is one that may arrive.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinProtocol

extension Peer {
    func received(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws {
        transcript.received(header, payload)
        guard !hasSaidGoodbye else { throw violation("a \(header.kind) frame after the goodbye") }
        do {
            switch header.kind {
            case .pong: try pongReceived(header)
            case .refused, .goodbye: try refusalReceived(header, payload)
            case .answer: try answered(header.sequence, .answer)
            case .redirect: try redirectReceived(header, payload)
            case .reply: try eventAnswered(header, .reply, payload)
            case .fault:
                let fault = try Payloads.decoded(Fault.self, payload)
                try eventAnswered(header, .fault(fault.code), payload)
            case .welcome, .attached, .schema, .contractWanted:
                try controlReceived(header, payload)
            case .transition: try transitionReceived(header, payload)
            case .state: try stateReceived(header, payload)
            case .ask: try askReceived(header)
            case .askEnded: try askEndedReceived(header)
            case .skipped: _ = try Payloads.decoded(Skipped.self, payload)
            default: throw violation("a \(header.kind) frame, which nobody may send to a front")
            }
        } catch let error as CBORError {
            throw violation("an unreadable \(header.kind) frame: \(error)")
        }
    }

    private func pongReceived(_ header: FrameHeader) throws {
        guard pongs.first == header.sequence else {
            throw violation("a pong whose turn it is not: \(header.sequence)")
        }
        pongs.removeFirst()
    }

    private func refusalReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws {
        let refusal = try Payloads.decoded(Refusal.self, payload)
        guard !refusal.message.isEmpty else { throw violation("a refusal without a sentence") }
        let outcome = Outcome.refusal(refusal.code)
        switch (header.kind, isWelcomed) {
        case (.refused, true):
            guard place == .door else { throw violation("a worker that refuses like napkind") }
            try answered(header.sequence, outcome)
        case (.refused, false), (.goodbye, true):
            try refusedByPeer(outcome)
        default:
            throw violation("a goodbye before the welcome")
        }
    }

    private func redirectReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws {
        let redirect = try Payloads.decoded(Redirect.self, payload)
        try answered(header.sequence, .redirect)
        guard let session = world.sessions.first(where: { $0.name == redirect.session }),
            !session.isMortal
        else { return }
        world.keep(redirect.ticket, of: session)
    }

    private func controlReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws {
        guard control.first == header.kind else {
            let next = control.first.map { "\($0)" } ?? "nothing"
            throw violation("a \(header.kind) frame; expected: \(next)")
        }
        control.removeFirst()
        switch header.kind {
        case .welcome:
            isWelcomed = true
            let agreed = try Payloads.decoded(Welcome.self, payload).version
            guard agreed == .current else { throw violation("welcomed with \(agreed)") }
        case .schema:
            world.contract = Array(payload)
        case .attached:
            let attached = try Payloads.decoded(Attached.self, payload)
            guard attached.session == session?.name, attached.window == Limits.eventWindow else {
                throw violation("attached to another session, or with another window")
            }
            epoch = attached.epoch
            try identified(attached)
        default:
            break
        }
    }

    // MARK: - The tree

    private func transitionReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws {
        let isSnapshot = header.flags & Transition.snapshotFlag != 0
        guard isSnapshot == (control.first == .transition) else {
            throw violation("a snapshot comes once, and before every other transition")
        }
        guard header.epoch == epoch else { throw violation("a transition of another epoch") }
        if isSnapshot {
            control.removeFirst()
            isConfirmed = true
        }
        for operation in try Payloads.operations(payload) {
            switch operation {
            case .mount(let mount): try mounted(mount)
            case .unmount(let node): try unmounted(node)
            }
        }
        if isSnapshot { sessionSeen() }
    }

    private func mounted(_ mount: Mount) throws {
        let isRoot = mount.parent == 0 && nodes.isEmpty
        guard isRoot || nodes[mount.parent] != nil, mount.node > newestNode else {
            throw violation("node \(mount.node) is mounted where it cannot be")
        }
        for state in mount.states where state.method == Method.presentWaiting {
            waiting = try state.payload.withUnsafeBytes { try Payloads.decoded(Int.self, $0) }
        }
        nodes[mount.node] = mount.feature
        newestNode = mount.node
    }

    private func unmounted(_ node: UInt32) throws {
        // Who attaches while a node goes is not shown it, and may be told that it went.
        guard nodes.removeValue(forKey: node) != nil || !lost.contains(node) else {
            throw violation("node \(node) is unmounted twice")
        }
        lost.insert(node)
        // The desk has one child, which has none: nothing is below the node.
        guard let session, session.epoch == epoch else { return }
        session.dead = Array((session.dead + [node]).suffix(32))
    }

    private func sessionSeen() {
        guard let session, let root = nodes.keys.min(), permittedEnds.isEmpty else { return }
        session.epoch = epoch
        session.root = root
    }

    private func stateReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws {
        guard isConfirmed, header.epoch == epoch, nodes[header.node] != nil else {
            throw violation("a state of a node that is not there")
        }
        if header.method == Method.presentWaiting {
            waiting = try Payloads.decoded(Int.self, payload)
        }
    }

    // MARK: - Questions

    private func askReceived(_ header: FrameHeader) throws {
        guard isConfirmed, isAskable, header.epoch == epoch, nodes[header.node] != nil else {
            throw violation("an ask of a front that is not to be asked, or of no node")
        }
        guard !pastAsks.contains(header.sequence), asks.insert(header.sequence).inserted else {
            throw violation("ask \(header.sequence) comes twice")
        }
        world.counts.asks += 1
    }

    private func askEndedReceived(_ header: FrameHeader) throws {
        if asks.remove(header.sequence) != nil {
            pastAsks.insert(header.sequence)
        } else if !pastAsks.contains(header.sequence) {
            throw violation("the end of ask \(header.sequence), which was not asked here")
        }
    }
}
