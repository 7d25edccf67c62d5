// DeathProof: workers, napkind and fronts of durable sessions are killed at random moments, or
// the power of their disk is cut.
//
// Spec       Protocol/SPEC.md, section 9.4 (Durable sessions)

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// Round by round, each with a session of its own, of either app: three fronts send events, and
/// processes are killed meanwhile; then the history is held against what was restored.
@MainActor
final class DeathProof {
    enum Kind: String, CaseIterable {
        case worker
        case restoring = "worker that was restoring"
        case both = "daemon and worker at once"
        case daemon
        case front
        case cut = "connection of a front"
        case power = "power"
        case laterPower = "power after an end in good order"
    }

    /// Kills of one session. Chosen: what it has at the end is some 1,500 entries.
    static let roundMax = 40
    /// Power cuts of one session, which begins on an empty disk. Chosen: the first ones, while it
    /// is being written to for the first time, are half of what matters.
    static let cutsMax = 8
    /// Rounds in which something that is not synced is to be lost. Chosen: one is enough.
    static let lossRounds = 4
    /// Rounds after which it says how far it has come.
    static let tellingRounds = 10
    static let fronts = 3
    static let callers = 3
    static let apps = [BookApp.id, QuickBookApp.id]

    private let daemon: DaemonProcess
    private let count: Int
    private var random: Randomness
    private let watchdog: Watchdog
    private let victims: Victims
    private var kills: [Kind: Int] = [:]
    private var ends: [String: Int] = [:]
    private var states = 0
    private var (timers, jobs, performances) = (0, 0, 0)
    private var app = DeathProof.apps[0]
    private var session = ""
    private var witness: BookWitness
    private var fronts: [BookFront] = []
    private var nextFront = 1
    private var callers: [Task<Void, any Error>] = []
    private var isOver = false
    /// Whether the disk is to sync nothing.
    private var isLying = false

    init(_ daemon: DaemonProcess, count: Int, seed: UInt64, watchdog: Watchdog) {
        self.daemon = daemon
        self.count = count
        self.watchdog = watchdog
        victims = Victims(daemon)
        witness = BookWitness(of: BookApp.id, session, in: daemon.place)
        random = Randomness(seed: seed)
    }

    private var killCount: Int { kills.values.reduce(0, +) }

    func run() async throws {
        watchdog.report = { [unowned self] in standing }
        var round = 0
        while killCount < count {
            // What is not synced does not survive a power cut.
            app = Self.apps[daemon.disk == nil ? round % Self.apps.count : 0]
            round += 1
            session = "book-\(round)"
            do {
                let most = daemon.disk == nil ? Self.roundMax : Self.cutsMax
                try await self.round(min(most, count - killCount))
            } catch {
                throw Failure("in \(session) of \(app), after \(kills): \(error)")
            }
            if round % Self.tellingRounds == 0 {
                print("so far     \(killCount) in \(round) sessions")
                fflush(nil)
            }
        }
        print(text(round))
        if daemon.disk != nil { try await findLoss() }
    }

    /// Does the same while nothing is synced: a proof that finds nothing then would prove nothing.
    private func findLoss() async throws {
        isLying = true
        for number in 1...Self.lossRounds {
            session = "loss-\(number)"
            do {
                try await round(5)
            } catch {
                // A journal that was damaged so is refused, and the calls under way have no end.
                isOver = true
                for front in fronts { await front.die() }
                let lines = "\(error)".split(separator: "\n")
                print("found      without syncs: \(lines.prefix(2).joined(separator: " "))")
                return
            }
        }
        throw Failure("nothing is lost when nothing is synced, so these cuts prove nothing")
    }

    // MARK: - A round

    private func round(_ most: Int) async throws {
        witness = BookWitness(of: app, session, in: daemon.place)
        isOver = false
        fronts = []
        callers = []
        if daemon.disk != nil { try await daemon.restartInOrder(isNew: true) }
        for _ in 0..<Self.fronts { try await join() }
        if isLying { try daemon.disk?.lie() }
        for _ in 0..<most {
            try await Task.sleep(for: .microseconds(random.below(40_000)))
            let kind = draw()
            kills[kind, default: 0] += 1
            try await kill(kind)
            watchdog.reset()
            if witness.history.violation != nil { break }
        }
        try await check()
        for front in fronts { await front.front.detach() }
        let _: Bool = try await daemon.query(.kill(session: session))
    }

    private func join() async throws {
        let front = BookFront(
            nextFront, of: app, session: session, at: daemon.address, witness)
        nextFront += 1
        try await front.front.attach()
        fronts.append(front)
        for _ in 0..<Self.callers {
            var random = Randomness(seed: random.next())
            callers.append(Task { try await self.send(on: front, &random) })
        }
    }

    private func send(on front: BookFront, _ random: inout Randomness) async throws {
        while !isOver, !front.isDead, witness.history.violation == nil {
            guard front.front.isConnected else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            try await front.send(.draw(&random), pausing: random.below(20_000))
            try await Task.sleep(for: .microseconds(random.below(10_000)))
        }
    }

    /// Everything has ended; what a worker has that was just restored is held against it.
    private func check() async throws {
        isOver = true
        if let violation = witness.history.violation { throw Failure(violation) }
        for caller in callers { try await caller.value }
        try await kill(daemon.disk == nil ? .worker : .power)
        try await shows()
        let front = fronts[0]
        let found = witness.history.violations(try await front.recovered())
        guard found.isEmpty else {
            throw Failure(
                "\(found.count) violations, the first of them\n"
                    + found.prefix(3).joined(separator: "\n"))
        }
        ends.merge(witness.history.counts, uniquingKeysWith: +)
        states += witness.history.statesShown
        timers += witness.history.acknowledged(.reminds)
        jobs += witness.history.acknowledged(.posts)
        performances += witness.performed().count
    }

    // MARK: - Killing

    private func draw() -> Kind {
        if daemon.disk != nil { return random.percent(15) ? .laterPower : .power }
        return switch random.below(100) {
        case 0..<50: .worker
        case 50..<70: .restoring
        case 70..<80: .both
        case 80..<85: .daemon
        case 85..<93: .front
        default: .cut
        }
    }

    private func kill(_ kind: Kind) async throws {
        switch kind {
        case .worker:
            try await victims.killWorker(of: app, session, witness)
            if random.percent(70) { try await shows() }
        case .restoring:
            try await victims.killWorker(of: app, session, witness)
            // Some 50 ms after its start it shows its sessions.
            try await Task.sleep(for: .microseconds(random.below(80_000)))
            try await victims.killWorker(of: app, session, witness)
            try await shows()
        case .both:
            try await victims.killWorker(of: app, session, witness)
            try await victims.restartDaemon(for: app, session, witness)
            try await shows()
        case .daemon: try await victims.restartDaemon(for: app, session, witness)
        case .front:
            await fronts.remove(at: random.below(fronts.count)).die()
            try await join()
        case .cut:
            let front = fronts[random.below(fronts.count)]
            witness.history.noted("the connection of front \(front.number) breaks")
            front.front.wire.cut(
                after: random.below(3000), random.percent(50) ? .toFront : .toSession)
        case .power:
            try await cutPower()
            if random.percent(70) { try await shows() }
        case .laterPower:
            witness.history.noted("napkind and worker end")
            try await daemon.restartInOrder()
            // A worker starts, and says that it has not ended in good order.
            try await Task.sleep(for: .microseconds(random.below(80_000)))
            try await cutPower()
            try await shows()
        }
    }

    private func cutPower() async throws {
        witness.history.noted("the power fails")
        witness.history.noted(try await daemon.cutPower(seed: random.next()))
    }

    /// Returns when each front is attached to a worker that answers.
    private func shows() async throws {
        for front in fronts { try await front.isBack() }
    }

    /// For a proof in which nothing happens any more.
    private var standing: String {
        let fronts = fronts.map { front in
            "front \(front.number): connected \(front.front.isConnected), "
                + "\(front.front.attachments) attachments, end \(front.front.end as Any), "
                + "\(front.front.outstandingEvents) events outstanding"
        }
        return "in \(session) of \(app), after \(kills)\n" + fronts.joined(separator: "\n")
            + "\n" + witness.history.newest
    }

    private func text(_ rounds: Int) -> String {
        let kinds = Kind.allCases.filter { kills[$0] != nil }
            .map { "\(kills[$0, default: 0]) \($0.rawValue)" }
        let ends = ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return """
            deaths     \(killCount) in \(rounds) sessions: \(kinds.joined(separator: ", "))
            events     \(ends.joined(separator: ", "))
            own inputs \(timers) timers fired, \(jobs) jobs were done in \(performances) attempts
            shown      \(states) states; 0 lost, 0 doubled, 0 reordered, 0 seen and then gone
            """
    }
}
