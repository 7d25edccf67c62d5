// Siege: sequences without sense, on many connections, and what must be true after them.

import NapkinProtocol
import ProofSupport

/// One run of the probe.
final class Siege {
    static let fronts = 8, doors = 3
    /// Sequences between two checks of the good fronts, and between two settlements.
    static let goodEvery = 50, settleEvery = 1000, overspendEvery = 5000
    static let returnEvery = 200, resumeEvery = 400, hoardEvery = 10000
    static let messagesMax = 8

    let world: World
    private let daemon: DaemonProcess
    private let inspector: Inspector
    private let witness: GoodFront
    private let loner: GoodFront
    private let worker: Int32
    private var fronts: [Peer?] = Array(repeating: nil, count: Siege.fronts)
    private var doors: [Peer?] = Array(repeating: nil, count: Siege.doors)
    private(set) var baseline: Standing?

    init(_ daemon: DaemonProcess, seed: UInt64) throws {
        self.daemon = daemon
        world = World(doorPath: daemon.socket, seed: seed)
        witness = try GoodFront(world, in: world.sessions[0])
        loner = try GoodFront(world, in: KnownSession("quiet", isMortal: false))
        inspector = try Inspector(daemon.socket)
        worker = try inspector.worker()
    }

    var slowest: Double { max(witness.slowest, loner.slowest) }

    // MARK: - One sequence

    func sequence() throws {
        world.counts.sequences += 1
        let number = world.counts.sequences
        if number.isMultiple(of: Self.overspendEvery) {
            try overspend()
        } else if number % Self.hoardEvery == Self.hoardEvery / 4 {
            try hoard()
        } else if number % Self.resumeEvery == Self.resumeEvery / 2 {
            try resumeSequence()
        } else if world.random.percent(82) {
            try frontSequence(world.random.below(Self.fronts))
        } else {
            try doorSequence(world.random.below(Self.doors))
        }
        if number.isMultiple(of: Self.goodEvery) {
            try loner.checkAlone()
            try witness.call(Method.fail, .failed)
        }
        if number.isMultiple(of: Self.returnEvery) { try loner.returns() }
        if number.isMultiple(of: Self.settleEvery) { try settle() }
    }

    private func frontSequence(_ slot: Int) throws {
        let peer = try live(fronts[slot], .worker)
        fronts[slot] = peer
        world.fronts = fronts.compactMap(\.self)
        for _ in 0...world.random.below(Self.messagesMax) { try peer.drawForWorker() }
        try peer.settle()
        // Those whose front this connection has taken over have ended.
        for front in world.fronts where front.stage == .ended { try front.settle() }
    }

    private func doorSequence(_ slot: Int) throws {
        let peer = try live(doors[slot], .door)
        doors[slot] = peer
        for _ in 0...world.random.below(Self.messagesMax) { peer.drawForDoor() }
        try peer.settle()
    }

    private func live(_ peer: Peer?, _ place: Peer.Place) throws -> Peer {
        if let peer, !peer.isClosed { return peer }
        return try Peer(place, in: world)
    }

    /// A front that sends more than it may; the others let its handlers go.
    private func overspend() throws {
        let slot = fronts.firstIndex {
            $0?.mayCall == true && $0?.session?.isMortal == false
        }
        guard let slot, var peer = fronts[slot] else { return }
        let excess = 1 + world.random.below(64)
        try peer.overspend(by: excess)
        if peer.stage == .attached, world.random.percent(60) {
            peer = try overspendAgain(peer, by: excess)
            fronts[slot] = peer
            world.fronts = fronts.compactMap(\.self)
        }
        try witness.call(Method.release)
        try peer.settle()
    }

    // MARK: - Settling

    /// What waits is let go, what is asked is answered: then everything has its answer.
    private func settle() throws {
        try witness.call(Method.release)
        let fronts = world.fronts.filter { !$0.isClosed }
        for front in fronts { try front.settle() }
        // Where all fronts only look, nobody can let go what an earlier connection had wait.
        var stuck: [KnownSession] = []
        for session in world.sessions where session.isMortal {
            let caller = fronts.first {
                $0.session === session && $0.isConfirmed && $0.mayCall
            }
            if let caller { try caller.release() } else { stuck.append(session) }
        }
        for front in fronts where front.stage == .attached {
            front.replyToAll()
            try front.settle()
        }
        for front in fronts where !front.isClosed {
            let isStuck = stuck.contains { $0 === front.session }
            if !isStuck { front.nothingMayWait() }
            try front.settle()
        }
    }

    // MARK: - Standing

    /// Everybody leaves; then everything is as it was before anybody came.
    func standing() throws -> Standing {
        try settle()
        try dismiss()
        fronts = Array(repeating: nil, count: Self.fronts)
        doors = Array(repeating: nil, count: Self.doors)
        world.fronts = []
        for session in world.sessions where session.isMortal { try kill(session) }
        try witness.call(Method.tear)
        try witness.shows([Payloads.desk])
        try loner.checkAlone()
        let deadline = World.now + GoodFront.deadlineSeconds
        while true {
            let standing = try look()
            if let problem = standing.unrest ?? baseline?.difference(to: standing) {
                guard World.now < deadline else {
                    throw Failure("after everybody had left: \(problem)")
                }
                continue
            }
            if baseline == nil { baseline = standing }
            return standing
        }
    }

    private func kill(_ session: KnownSession) throws {
        world.kill(session)
        let isListed = try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self)
            .contains { $0.session == session.name }
        let wasThere = try inspector.kill(session.name)
        guard wasThere == isListed else {
            throw Failure("\(session.name): listed \(isListed), killed \(wasThere)")
        }
    }

    private func look() throws -> Standing {
        let pid = try inspector.worker()
        guard pid == worker else {
            throw Failure("the worker was \(worker) and is \(pid)")
        }
        return Standing(
            daemon: try Vitals(of: daemon.pid), worker: try Vitals(of: pid),
            sessions: try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self),
            trees: try inspector.ask(
                .tree(app: Payloads.app, session: nil), as: [SessionTree].self))
    }
}

extension Peer {
    fileprivate func release() throws {
        sendAllAgain()
        let root = nodes.keys.min() ?? 1
        let header = FrameHeader(.event, node: root, epoch: epoch, sequence: nextSequence)
        call(header, Method.release, .reply, .soon)
        try settle()
    }
}
