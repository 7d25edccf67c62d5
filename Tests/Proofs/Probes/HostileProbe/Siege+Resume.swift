// Siege resume: what fronts do over several connections.
//
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import NapkinProtocol
import ProofSupport

extension Siege {
    /// A front that is away and that the worker must know.
    private var away: KnownFront? {
        let session = world.sessions[0]
        return session.departed.suffix(16).filter { session.knows($0) == .yes }
            .randomElement(using: &world.random)
    }

    /// What needs more than one connection.
    func resumeSequence() throws {
        if world.random.percent(50) { try bounce() } else { try duel() }
    }

    /// A front returns again and again without reading anything, and once to read it all.
    private func bounce() throws {
        guard let front = away else { return }
        for _ in 0..<2 + world.random.below(30) {
            let peer = try Peer(returning: front, in: world)
            if world.random.percent(50) { peer.sendAllAgain() }
            for _ in 0..<world.random.below(16) { peer.fail() }
            peer.abandon()
        }
        try readAll(front)
    }

    /// More answers than a worker keeps, none of which is confirmed; then all are asked for.
    func hoard() throws {
        guard let front = away else { return }
        let peer = try Peer(returning: front, in: world)
        peer.sendAllAgain()
        for _ in 0..<8 {
            for _ in 0..<Limits.answersKeptMax / 8 + world.random.below(32) { peer.fail() }
            try peer.settle()
        }
        peer.abandon()
        try readAll(front)
    }

    private func readAll(_ front: KnownFront) throws {
        let peer = try Peer(returning: front, in: world)
        for sequence in front.events.keys.sorted() { peer.sendAgain(sequence) }
        try peer.settle()
        if world.random.percent(30) { peer.detach() }
        if peer.stage == .ended { try peer.settle() } else { peer.abandon() }
    }

    /// Two connections are the same front at once: one takes over from the other.
    private func duel() throws {
        guard let front = away, !front.events.values.contains(where: { !$0.isSeen }) else { return }
        let pair = [try Peer(.worker, in: world), try Peer(.worker, in: world)]
        for peer in pair {
            try peer.greet(front.session)
            peer.attach = Attach(declinesAsks: true)
            peer.claim(front)
            peer.mustResume = true
            peer.send(FrameHeader(.attach), Payloads.encoded(peer.attach))
            peer.stage = .attached
            peer.control += [.attached, .transition]
            peer.mayEnd(.silence)
        }
        for peer in pair { peer.write() }
        for peer in pair { try peer.settle() }
        let winner = pair[1].isClosed ? pair[0] : pair[1]
        for loser in pair where loser !== winner && !loser.isClosed {
            loser.mustEnd(.silence)
            try loser.settle()
        }
        guard !winner.isClosed else { throw winner.violation("both of two connections ended") }
        winner.permittedEnds = []
        winner.adopt(front)
        winner.fail()
        try winner.settle()
        winner.abandon()
    }

    /// The front of a slot returns on a new connection, to spend what it has spent already.
    func overspendAgain(_ peer: Peer, by excess: Int) throws -> Peer {
        guard let front = peer.known, peer.stage == .attached else { return peer }
        let ending = peer.endingHandlers
        let next = try Peer(returning: front, in: world)
        try next.overspendAgain(by: excess, ending: ending)
        try peer.settle()
        return next
    }

    /// Everybody leaves for good, also those that are away: the worker keeps nothing of them.
    func dismiss() throws {
        for front in world.fronts where front.stage == .attached && !front.isClosed {
            front.detach()
            try front.settle()
        }
        let session = world.sessions[0]
        for front in session.departed {
            let peer = try Peer(returning: front, in: world)
            peer.detach()
            try peer.settle()
        }
        session.departed = []
    }
}

extension Peer {
    /// A connection that attaches as a front that was there before.
    convenience init(returning front: KnownFront, in world: World) throws {
        try self.init(.worker, in: world)
        try greet(front.session)
        attach = Attach(declinesAsks: true)
        claim(front)
        mayBeLate = false
        try sendAttach()
    }

    /// A call that is answered at once.
    func fail() {
        let header = FrameHeader(
            .event, node: nodes.keys.min() ?? session?.root ?? 1,
            epoch: isConfirmed ? epoch : session?.epoch ?? 0, sequence: nextSequence)
        call(header, Method.fail, .failed, .soon)
    }

    /// Writes what was drawn, and closes without reading what comes.
    func abandon() {
        write()
        wire.close()
        isClosed = true
        stage = .ended
        gone()
    }
}
