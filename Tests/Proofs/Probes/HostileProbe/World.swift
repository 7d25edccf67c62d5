// World: what the probe knows of the daemon that it is hostile to: tickets, sessions, who is there.

import Glibc
import NapkinProtocol
import ProofSupport

/// One session under attack.
final class KnownSession {
    let name: String
    /// Whether tools of the probe kill it now and then.
    let isMortal: Bool
    /// The newest tree's.
    var epoch: UInt32 = 0
    var root: UInt32 = 0
    /// Nodes of that tree that some front has seen go.
    var dead: [UInt32] = []
    /// Fronts of the newest tree that are away, the last to leave last; and those that its worker
    /// must not know any more.
    var departed: [KnownFront] = []
    var detached: [KnownFront] = []
    /// The greatest number of a front, and its epoch.
    var newestFront: SessionIdentity?
    /// How often it has been killed.
    var kills = 0
    fileprivate var tickets: [(text: String, at: Double)] = []

    init(_ name: String, isMortal: Bool) {
        self.name = name
        self.isMortal = isMortal
    }
}

/// Shared by all peers of the probe.
final class World {
    /// A ticket is good for 10 s; one that is older than the first number is not offered as good,
    /// one that is older than the second is offered as expired.
    static let freshSeconds = 7.0, expiredSeconds = 11.0
    /// Tickets that are opened at once.
    static let ticketBatch = 16

    let doorPath: String
    var workerPath = ""
    var random: Randomness
    let sessions: [KnownSession]
    /// The app's schema as the worker sent it: what a front with the same contract describes.
    var contract = Payloads.emptyContract
    /// Live connections to the worker, by their slots.
    var fronts: [Peer] = []
    var counts = Counts()

    private var opener: Wire?
    private var used = [Payloads.ticketless]
    private var revoked: [String] = []
    private var stale: [(text: String, at: Double)] = []

    init(doorPath: String, seed: UInt64) {
        self.doorPath = doorPath
        random = Randomness(seed: seed)
        sessions =
            [KnownSession("siege", isMortal: false)]
            + (0..<3).map { KnownSession("mortal-\($0)", isMortal: true) }
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: - Sessions

    /// Most of the time the one that is never killed.
    func drawSession() -> KnownSession {
        random.percent(80) ? sessions[0] : sessions[1 + random.below(sessions.count - 1)]
    }

    /// A tool kills the session: its fronts are told, its tickets are void.
    func kill(_ session: KnownSession) {
        session.kills += 1
        session.epoch = 0
        session.dead = []
        session.detached = Array((session.departed + session.detached).prefix(32))
        session.departed = []
        revoked = Array((revoked + session.tickets.map(\.text)).suffix(64))
        session.tickets = []
        for front in fronts where front.session === session { front.mayEnd(.sessionEnded) }
    }

    /// A handler that lets all waiting ones of that tree go will have run.
    func released(_ session: KnownSession, epoch: UInt32) {
        for front in fronts where front.session === session && front.epoch == epoch {
            front.waitsAreOver()
        }
    }

    // MARK: - Tickets

    /// One that the worker will take.
    func goodTicket(_ session: KnownSession) throws -> String {
        let now = Self.now
        stale += session.tickets.filter { now - $0.at > Self.freshSeconds }
        session.tickets.removeAll { now - $0.at > Self.freshSeconds }
        if session.tickets.isEmpty { try openMore(session) }
        while session.tickets.isEmpty {
            // Too many are outstanding; the oldest of them expire.
            usleep(200_000)
            try openMore(session)
        }
        let ticket = session.tickets.removeLast().text
        used.append(ticket)
        if used.count > 256 { used.removeFirst(128) }
        return ticket
    }

    func keep(_ ticket: String, of session: KnownSession) {
        session.tickets.insert((ticket, Self.now), at: 0)
    }

    var usedTicket: String { used[random.below(used.count)] }
    var revokedTicket: String {
        revoked.isEmpty ? Payloads.ticketless : revoked[random.below(revoked.count)]
    }
    var expiredTicket: String {
        let index = random.below(64)
        let now = Self.now
        if stale.count > 256 { stale.removeFirst(128) }
        let expired = stale.filter { now - $0.at > Self.expiredSeconds }
        return expired.isEmpty ? Payloads.ticketless : expired[index % expired.count].text
    }

    /// Opens tickets, so that the worker's path is known.
    func openMore(_ session: KnownSession) throws {
        let count = session.isMortal ? 2 : Self.ticketBatch
        let wire = try opener ?? greetedDoor()
        opener = wire
        let payload = Payloads.encoded(Open(app: Payloads.app, session: session.name))
        var frames = FrameBytes()
        for number in 1...count {
            frames.append(FrameHeader(.open, sequence: UInt64(number)), payload)
        }
        wire.send(frames.take())
        var answers = 0
        while answers < count {
            let arrival = try wire.read { header, payload in
                answers += 1
                // Those that hostile peers have not used count, too.
                if header.kind == .refused { return }
                guard header.kind == .redirect else {
                    throw Failure("an open was answered by \(header.kind)")
                }
                let redirect = try Payloads.decoded(Redirect.self, payload)
                workerPath = redirect.socket
                session.tickets.append((redirect.ticket, Self.now))
            }
            guard arrival == .frames else {
                throw Failure("napkind left an open without an answer")
            }
        }
    }

    private func greetedDoor() throws -> Wire {
        let wire = try Wire(doorPath)
        var frames = FrameBytes()
        frames.append(FrameHeader(.hello), Payloads.hello(ticket: nil, client: "opener 1"))
        wire.send(frames.take())
        let arrival = try wire.read { header, _ in
            guard header.kind == .welcome else {
                throw Failure("a hello was answered by \(header.kind)")
            }
        }
        guard arrival == .frames else { throw Failure("no welcome from napkind") }
        return wire
    }
}
