// OrderSiege: one run of the orders: who is there, and what must be true of them.

import NapkinProtocol
import ProofSupport

/// A daemon, its worker, two fronts that behave, and eleven connections that do not.
final class OrderSiege {
    private static let fronts = 8, doors = 3
    private static let messagesMax = 8
    /// Sequences between two looks at the fronts that behave, and between two returns of one.
    private static let goodEvery = 50, returnEvery = 200
    /// A call of a well-behaved front takes no longer, whatever the others do. Chosen.
    private static let patience = Duration.seconds(5)

    let inspector: Inspector
    var random: Randomness
    /// Sessions of those that do not behave: tools of the probe kill all but the first.
    let sessions = ["siege"] + (0..<3).map { "mortal-\($0)" }
    /// What a front may say that it was.
    var identities: [SessionIdentity] = []
    /// Tickets that are used or void.
    private(set) var badTickets = [Payloads.ticketless]
    /// Those that nobody has used: napkind gives only so many.
    private var admissions: [(redirect: Redirect, at: ContinuousClock.Instant)] = []
    /// A ticket is good for 10 s; one that is older is not offered as good.
    private static let ticketAge = Duration.seconds(7)

    private let process: AttackedDaemon
    private let worker: Int32
    /// In a session where nobody else is, and in the one under attack.
    private var loner: Companion
    private var witness: Companion
    private var visitors: [Visitor?] = Array(repeating: nil, count: fronts + doors)
    private var slowest = Duration.zero
    private var counts = (messages: 0, connections: 0, ended: 0, answers: 0)

    init(_ process: AttackedDaemon, seed: UInt64) throws {
        self.process = process
        random = Randomness(seed: seed)
        inspector = try Inspector(process.socket, as: .front)
        loner = try Companion(try inspector.open("quiet"))
        witness = try Self.witness(inspector)
        worker = try inspector.worker()
    }

    /// One that lets go what waits, and would have to answer what the others have asked.
    private static func witness(_ inspector: Inspector) throws -> Companion {
        try Companion(
            try inspector.open("siege"), attach: Attach(declinesAsks: true, takesDeltas: true))
    }

    var text: String {
        "\(counts.messages) messages on \(counts.connections) connections, of which "
            + "\(counts.ended) were ended; \(counts.answers) answers; the slowest good call took "
            + "\(slowest)"
    }

    // MARK: - Sequences

    func sequence(_ number: Int) throws {
        let slot =
            random.percent(82)
            ? random.below(Self.fronts) : Self.fronts + random.below(Self.doors)
        let visitor = try visitors[slot] ?? Visitor(slot < Self.fronts ? .worker : .door, self)
        let count = 1 + random.below(Self.messagesMax)
        for _ in 0..<count { try visitor.sendsSomething() }
        try visitor.settles()
        counts.messages += count
        visitors[slot] = visitor
        if visitor.isOver { leaves(slot) }
        if number.isMultiple(of: Self.returnEvery) { try returns() }
        if number.isMultiple(of: Self.goodEvery) { try holds() }
    }

    private func leaves(_ slot: Int) {
        guard let visitor = visitors[slot].take() else { return }
        counts.connections += 1
        counts.ended += visitor.isOver ? 1 : 0
        counts.answers += visitor.answers
        visitor.vanish()
    }

    /// A tool kills a session: its fronts are told, its tickets are void.
    func kill(_ session: String) throws {
        spoil(try admission(to: session).ticket)
        _ = try inspector.kill(session)
        admissions.removeAll { $0.redirect.session == session }
    }

    // MARK: - Tickets

    func admission(to session: String) throws -> Redirect {
        admissions.removeAll { ContinuousClock.now - $0.at > Self.ticketAge }
        let known = admissions.firstIndex { $0.redirect.session == session }
        return try known.map { admissions.remove(at: $0).redirect } ?? inspector.open(session)
    }

    func keep(_ redirect: Redirect) { admissions.append((redirect, .now)) }

    func spoil(_ ticket: String) { badTickets = badTickets.suffix(31) + [ticket] }

    // MARK: - What must be true

    /// Calls of the fronts that behave are answered rightly and soon, by the same processes.
    private func holds() throws {
        for (front, method, answer) in [
            (loner, Method.fail, FrameKind.fault), (loner, Method.replace, .reply),
            (loner, Method.tear, .reply), (witness, Method.release, .reply),
        ] {
            let start = ContinuousClock.now
            try front.calls(method, answer)
            front.confirms()
            slowest = max(slowest, ContinuousClock.now - start)
        }
        try Failure.unless(slowest < Self.patience, "a good front waited \(slowest)")
        // What has waited has been let go: it is answered, where its connection stands.
        for slot in visitors.indices {
            guard let visitor = visitors[slot], visitor.session == "siege" else { continue }
            visitor.nothingWaits()
            try visitor.settles()
            if visitor.isOver { leaves(slot) }
        }
        let pid = try inspector.worker()
        try Failure.unless(pid == worker, "the worker was \(worker) and is \(pid)")
    }

    /// A front loses its connection, and is known on the next one.
    private func returns() throws {
        loner.vanish()
        loner = try Companion(try inspector.open("quiet"), as: loner)
        try Failure.unless(loner.isResumed, "a good front was forgotten")
    }

    /// Everybody leaves; what is left then.
    func rest() throws -> Weights {
        try holds()
        for slot in visitors.indices { leaves(slot) }
        for session in sessions { try kill(session) }
        try witness.ends()
        let left = try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self)
        try Failure.unless(
            left.map(\.session) == ["quiet"] && left[0].fronts.count == 1 && left[0].nodes == 1,
            "when everybody has left, there are \(left)")
        witness = try Self.witness(inspector)
        return try Weights.settled(process, worker, inspector)
    }
}
