// KillProof: daemon, worker and fronts are killed at random, while events flow.
//
// Spec       Protocol/SPEC.md, sections 9 (Resume) and 11 (What a disconnect loses)

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// Three fronts that can be killed, in processes of their own, and two that watch, in this one.
@MainActor
final class KillProof {
    enum Kind: String, CaseIterable {
        case front, worker, daemon
        case both = "daemon and worker at once"
    }

    /// How long it goes on.
    enum Extent {
        case count(Int)
        case seconds(Int)
    }

    /// Processes that are made to be killed.
    static let victims = 3
    /// A worker that died more often than that is degraded: tests of its own say how.
    static let restartsMax = 3
    static let windowMilliseconds: UInt64 = 10_500

    private let daemon: DaemonProcess
    private let extent: Extent
    private let kinds: [Kind]
    private let strangers: [Stranger]
    private var random: Randomness
    private let watchdog: Watchdog
    /// Watches the session that fronts write to; and one that nobody writes to.
    private let watcher: Watcher
    private let quiet: Watcher
    private var fronts: [FrontProcess] = []
    /// Those that wrote to the tree that stands, dead or alive.
    private var authors: [FrontProcess] = []
    private var journals: [Int: [Int]] = [:]
    private var worker: Int32 = -1
    private var firstScreen = ""
    /// Sockets of every process of ours: whoever started the probe may have left some open.
    private var inherited = 0
    private var workerKills: [UInt64] = []
    private var kills: [Kind: Int] = [:]
    private var totals: [String: Int] = [:]
    private var nextWriter = 1
    private var checked = 0
    private var slowest: UInt64 = 0

    /// - Parameter strangers: visit meanwhile, each a session that nobody else does.
    init(
        _ daemon: DaemonProcess, _ extent: Extent, kinds: [Kind] = Kind.allCases,
        strangers: [Stranger] = [], seed: UInt64, watchdog: Watchdog
    ) {
        self.daemon = daemon
        self.extent = extent
        self.kinds = kinds
        self.strangers = strangers
        self.watchdog = watchdog
        random = Randomness(seed: seed)
        watcher = Watcher(daemon.address, session: TallyApp.id)
        quiet = Watcher(daemon.address, session: "quiet")
    }

    func run() async throws {
        try await watcher.front.attach()
        try await quiet.front.attach()
        firstScreen = quiet.front.shown
        worker = try await watcher.report().pid
        // Listening, napkind, and the two that watch.
        inherited = try Vitals(of: worker).sockets - 4
        for _ in 0..<Self.victims { try startFront() }
        for front in fronts { try await front.answers(1) }
        let begin = Loop.shared.now
        while goesOn(since: begin) {
            let kind = draw()
            kills[kind, default: 0] += 1
            watchdog.reset()
            watchdog.report = { [unowned self] in "after \(kills), at \(kind.rawValue)" }
            let start = Loop.shared.now
            do {
                try await checkJournals()
                let visits = strangers.map { stranger in Task { try await stranger.visit() } }
                try await kill(kind)
                for visit in visits { try await visit.value }
                try await settle()
            } catch {
                throw Failure("after \(kills), the last a \(kind.rawValue): \(error)")
            }
            slowest = max(slowest, Loop.shared.now - start)
        }
        try await checkJournals()
        for front in fronts {
            try await front.end()
            add(front)
        }
        try await checkJournals()
        for watcher in [watcher, quiet] {
            await watcher.front.detach()
            try watcher.screen.check()
        }
        print(text)
    }

    private func goesOn(since begin: UInt64) -> Bool {
        switch extent {
        case .count(let count): killCount < count
        case .seconds(let seconds): Loop.shared.now < begin + UInt64(seconds) * 1000
        }
    }

    private func draw() -> Kind {
        let now = Loop.shared.now
        workerKills.removeAll { now > $0 + Self.windowMilliseconds }
        while true {
            let kind = kinds[random.below(kinds.count)]
            if kind == .worker, workerKills.count >= Self.restartsMax { continue }
            return kind
        }
    }

    private func startFront() throws {
        let front = try FrontProcess(nextWriter, socket: daemon.socket, seed: random.next())
        nextWriter += 1
        fronts.append(front)
        authors.append(front)
    }

    // MARK: - Killing

    private func kill(_ kind: Kind) async throws {
        switch kind {
        case .front:
            let front = fronts.remove(at: random.below(fronts.count))
            await front.kill()
            add(front)
            try startFront()
        case .worker:
            workerKills.append(Loop.shared.now)
            try await killWorker {}
        case .daemon:
            try await killDaemon()
            let now = try await watcher.report().pid
            try Failure.unless(now == worker, "the worker \(worker) became \(now)")
            try await daemon.admits()
        case .both:
            try await killWorker { try await self.killDaemon() }
        }
    }

    private func killDaemon() async throws {
        // The next one has not seen a worker die.
        workerKills = []
        try await daemon.restart()
    }

    private func killWorker(_ meanwhile: () async throws -> Void) async throws {
        let shown = [watcher, quiet].map(\.front.attachments)
        Glibc.kill(worker, SIGKILL)
        try await meanwhile()
        for (watcher, shown) in zip([watcher, quiet], shown) {
            await watcher.front.shows(moreThan: shown)
        }
        let now = try await watcher.report().pid
        try Failure.unless(now != worker, "the worker \(worker) was not killed")
        worker = now
        try Failure.unless(
            quiet.front.shown == firstScreen,
            "a tree made of its arguments was\n\(firstScreen)\nand is\n\(quiet.front.shown)")
        journals = [:]
        authors = fronts
    }

    /// Everybody goes on, there is one worker, and nothing is left of those who are gone.
    private func settle() async throws {
        for front in fronts { front.takeIn() }
        let before = fronts.map(\.answered)
        for (front, count) in zip(fronts, before) { try await front.answers(count + 1) }
        let workers = Vitals.processes(mentioning: daemon.directory, "--worker")
        try Failure.unless(workers == [worker], "the workers \(workers) run, not \(worker)")
        var holders: [Int32] = []
        // The kernel lists locks in pieces, while others come and go.
        for _ in 0..<50 where holders != [worker] {
            holders = try Vitals.holders(of: daemon.directory + "/s/tally.lock")
        }
        try Failure.unless(holders == [worker], "the lock is held by \(holders), not \(worker)")
        // Listening, napkind, and the fronts. A dead one's end may not have been seen yet.
        let expected = inherited + 2 + Self.victims + 2
        var sockets = -1
        // napkind's: listening, the worker, and the worker's listening one where it has made that.
        // No front's: each has left when it was attached.
        var doors = Int.max
        for _ in 0..<500 where sockets != expected || doors > inherited + 3 {
            sockets = try Vitals(of: worker).sockets
            doors = try Vitals(of: daemon.pid).sockets
            _ = try await watcher.report()
        }
        try Failure.unless(
            doors <= inherited + 3,
            "napkind has \(doors) sockets; \(inherited) were inherited, 3 at most are its own")
        try Failure.unless(
            sockets == expected, "the worker has \(sockets) sockets, not \(expected)")
        for watcher in [watcher, quiet] { try watcher.screen.check() }
    }

    // MARK: - Checking

    /// What fronts have been told is in the worker's journal, once and in order; what they have
    /// been told did not run is not.
    private func checkJournals() async throws {
        let epoch = watcher.front.front.attached?.epoch ?? 0
        for author in authors {
            // Before the journal is asked for: what is told later need not be in it.
            author.takeIn()
            let told = author.applied[epoch, default: []]
            let refused = author.notExecuted
            var journal = journals[author.writer, default: []]
            journal += try await watcher.listener.journal(of: author.writer, from: journal.count)
            journals[author.writer] = journal
            let name = "front \(author.writer), epoch \(epoch)"
            try Failure.unless(
                zip(journal, journal.dropFirst()).allSatisfy { $0 < $1 },
                "\(name): twice, or out of order: \(journal)")
            let applied = Set(journal)
            let lost = told.filter { !applied.contains($0) }
            try Failure.unless(lost.isEmpty, "\(name): the events \(lost) are lost")
            try Failure.unless(
                applied.isDisjoint(with: refused),
                "\(name): applied and `notExecuted`: \(applied.intersection(refused))")
            checked += told.count
        }
    }

    /// Processes that were killed, or pairs of them.
    var killCount: Int { kills.values.reduce(0, +) }
    /// Calls of fronts, each of which has ended once.
    var eventCount: Int { totals.values.reduce(0, +) }

    private func add(_ front: FrontProcess) {
        totals.merge(front.counts, uniquingKeysWith: +)
    }

    private var text: String {
        let kinds = kinds.map { "\(kills[$0, default: 0]) \($0.rawValue)" }
        let outcomes = Writer.Outcome.allCases
            .map { "\(totals[$0.rawValue, default: 0]) \($0.rawValue)" }
        return """
            kills      \(killCount): \(kinds.joined(separator: ", ")); \
            the slowest recovery took \(slowest) ms
            events     \(eventCount) of \(nextWriter - 1) fronts: \
            \(outcomes.joined(separator: ", ")); 0 lost, 0 twice, in order
            workers    one at any time, by lock and by process; trees as made of their arguments
            """
    }
}

/// A front of this process that is left alone.
@MainActor
private final class Watcher {
    let screen: TallyScreen
    let front: TestFront

    init(_ address: DaemonAddress, session: String) {
        let screen = TallyScreen { _ in throw RemoteFault(.refused, "watchers do not answer") }
        let front = TestFront(
            by: DaemonRoute(address),
            options: FrontOptions(
                app: TallyApp.id, session: session, client: "watcher", answersAsks: false),
            registry: screen.registry)
        screen.epoch = { [unowned front] in front.front.attached?.epoch }
        self.screen = screen
        self.front = front
    }

    var listener: any TallyPresentableListener {
        get throws {
            // What is noted of each connection is of no interest.
            _ = front.journal.take()
            guard let listener = screen.listener else { throw Failure("no view to ask with") }
            return listener
        }
    }

    func report() async throws -> (pid: Int32, applied: Int) {
        let report = try await listener.report()
        return (Int32(report.pid), report.applied)
    }
}
