// CutProof: connections that break at any byte, while both sides talk.
//
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinCore
import NapkinFront
import NapkinTesting
import NapkinTransport
import ProofSupport

/// One front whose connections are cut, one that is left alone, both on one session of a worker.
@MainActor
final class CutProof {
    /// Bytes of a connection within which it breaks. Chosen: the handshake and the snapshot take
    /// about 3000 towards the front and 900 towards the worker.
    static let reach: [Wire.Direction: Int] = [.toFront: 8000, .toSession: 3000]
    static let callers = 24

    private let daemon: DaemonProcess
    private let count: Int
    private let seed: UInt64
    private var random: Randomness
    private let screens: [TallyScreen]
    private let fronts: [TestFront]
    private let writers: [Writer]
    private let watchdog: Watchdog
    private var cuts: [Wire.Direction: Int] = [:]
    private var connections = 0
    /// The newest that is known of the worker when writers have finished.
    private var report: TallyReport?
    private var vitals: Vitals?
    private var done: CheckedContinuation<Void, Never>?

    init(_ daemon: DaemonProcess, count: Int, seed: UInt64, watchdog: Watchdog) {
        self.daemon = daemon
        self.count = count
        self.seed = seed
        self.watchdog = watchdog
        random = Randomness(seed: seed)
        // The undisturbed front is asked, too, so that no question ends when the other one is
        // away; it is the other one that answers.
        let screens = [
            TallyScreen { question in TallyInteractor.answer(to: question) },
            TallyScreen { _ in throw RemoteFault(.refused, "this front does not answer") },
        ]
        let fronts = screens.map { screen in
            TestFront(
                by: DaemonRoute(daemon.address),
                options: FrontOptions(app: TallyApp.id, client: "session-probe"),
                registry: screen.registry)
        }
        writers = [
            Writer(1, on: fronts[0], screens[0], seed: seed &+ 1),
            Writer(2, on: fronts[1], screens[1], seed: seed &+ 2),
        ]
        self.screens = screens
        self.fronts = fronts
    }

    func run() async throws {
        fronts[0].front.delays = Backoff(milliseconds: [0])
        try await fronts[1].attach()
        try await fronts[0].attach()
        let worker = try await daemon.workerPID()
        let before = try Vitals(of: worker)
        watchdog.report = { [unowned self] in standing }
        fronts[0].wire.whenConnected = { [unowned self] in connected() }
        for writer in writers { writer.progressed = { [unowned self] _, _ in progressed() } }
        fronts[0].wire.cut()
        writers[0].start(callers: Self.callers)
        writers[1].start(callers: 1)
        await withCheckedContinuation { done = $0 }
        for writer in writers { await writer.finish() }
        for screen in screens { try screen.check() }
        try await fronts[0].isBack()
        let report = try await settled()
        try await compare(report, worker)
        for front in fronts { await front.detach() }
        print(text(report, before, try await left(worker, before)))
    }

    /// A connection goes through the wire, and is told where it breaks.
    private func connected() {
        watchdog.reset()
        guard connections < count, screens.allSatisfy({ $0.violation == nil }) else {
            done?.resume()
            done = nil
            return
        }
        connections += 1
        let direction: Wire.Direction = random.percent(50) ? .toFront : .toSession
        cuts[direction, default: 0] += 1
        fronts[0].wire.cut(after: random.below(Self.reach[direction] ?? 1), direction)
    }

    private func progressed() {
        watchdog.reset()
        // The journals of the fronts would grow with each connection.
        do {
            for front in fronts { try front.checkBatches() }
        } catch {
            screens[0].violate("\(error)")
        }
        if screens.contains(where: { $0.violation != nil }) {
            done?.resume()
            done = nil
        }
    }

    /// Returns when no question is open: each has been answered.
    private func settled() async throws -> TallyReport {
        guard let listener = screens[1].listener else { throw Failure("no view to ask with") }
        while true {
            let report = try await listener.report()
            self.report = report
            if report.right + report.wrong + report.unanswered == report.asked { return report }
            // The front that answers has been asked before it replies to this.
            _ = try await screens[0].listener?.report()
        }
    }

    private func compare(_ report: TallyReport, _ worker: Int32) async throws {
        guard let listener = screens[1].listener else { throw Failure("no view to ask with") }
        var total = 0
        for writer in writers {
            let journal = try await listener.journal(of: writer.name)
            try writer.check(journal, mayDoubt: false)
            total += journal.count
        }
        try Failure.unless(report.applied == total, "\(report.applied) applied, \(total) known")
        try Failure.unless(
            report.wrong == 0 && report.unanswered == 0 && report.right == report.asked,
            "questions did not end with their answers: \(report)")
        try Failure.unless(
            report.pid == Int(worker), "the worker was \(worker) and is \(report.pid)")
        // Both have been told everything when their replies are here.
        for screen in screens { _ = try await screen.listener?.report() }
        try Failure.unless(
            fronts[0].shown == fronts[1].shown && screens[0].applied == total,
            "the screens differ:\n\(fronts[0].shown)\n---\n\(fronts[1].shown)")
        for screen in screens { try screen.check() }
    }

    /// What the worker holds when everybody has left: as many sockets as before they came.
    private func left(_ worker: Int32, _ before: Vitals) async throws -> Vitals {
        while true {
            let now = try Vitals(of: worker)
            vitals = now
            if now.sockets == before.sockets - fronts.count { return now }
            // Asked until the worker has seen the ends; the watchdog is for one that does not.
            _ = try await daemon.app()
        }
    }

    /// For a proof in which nothing happens any more.
    private var standing: String {
        let writers = writers.map { writer in
            "\(writer.outcomes.count) events, \(writer.outcomes.count { $0 == nil }) open"
        }
        return "\(connections) cuts, connected: \(fronts.map(\.isConnected)), "
            + "attachments: \(fronts.map(\.attachments)), carried: \(fronts[0].wire.carried), "
            + "report: \(report.map { "\($0)" } ?? "none"), "
            + "worker: \(vitals.map { "\($0)" } ?? "not looked at"), "
            + "writers: \(writers), violations: \(screens.map { $0.violation ?? "none" })"
    }

    private func text(_ report: TallyReport, _ before: Vitals, _ after: Vitals) -> String {
        let counts = writers[0].counts
        let outcomes = Writer.Outcome.allCases
            .map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
        return """
            cuts       \(connections): \(cuts[.toFront, default: 0]) towards the front, \
            \(cuts[.toSession, default: 0]) towards the worker; \
            \(connections + 2 - fronts[0].attachments) of them before the snapshot was there
            events     \(writers[0].outcomes.count) over them: \(outcomes); 0 lost, 0 twice, \
            in order
            undisturbed \(writers[1].outcomes.count) events, all applied; both screens are equal
            effects    \(screens[0].flashes) of \(screens[1].flashes) arrived, in order, none twice
            questions  \(report.asked) asked, \(report.right) answered, \
            \(screens[0].questionsAgain) of them asked again after a cut
            worker     \(before.residentKiB) KiB before, \(after.residentKiB) KiB after; \
            \(after.sockets) sockets when the fronts have left
            """
    }
}

extension TestFront {
    /// Returns when the front shows the session on a connection that stands.
    func isBack() async throws {
        let shown = attachments
        if !isConnected { await shows(moreThan: shown) }
        if case .failed(let error) = end { throw error }
    }
}
