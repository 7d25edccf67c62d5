// PoisonProof: one event ends its worker in each of 50 ways, and only itself.
//
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import Foundation
import NapkinFront
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import ProofSupport

/// Each death in a session of its own; two fronts of an innocent session of the same app send
/// events meanwhile.
@MainActor
final class PoisonProof {
    nonisolated static let kinds = ["durable", "volatile"]
    nonisolated static let isolations = ["shared", "workers", "session"]
    nonisolated static let apps = kinds.flatMap { kind in isolations.map { "\(kind)-\($0)" } }

    nonisolated static func manifest(_ app: String) -> [String] {
        let name = app.split(separator: "-")[1]
        let isolation = name == "workers" ? #"{"workers": 2}"# : #""\#(name)""#
        return [
            #""isolation": \#(isolation)"#, #""hang": 2"#,
            #""limits": {"memory": \#(Death.residentMax)}"#,
            // Deaths of the poisons before, of which some name no input, are forgotten soon.
            #""restart": {"times": 10, "seconds": 1}"#,
        ]
    }

    /// Deaths beside one innocent session. Chosen: what it has at the end is some 600 entries.
    private static let roundMax = 8
    /// Milliseconds: what 99 of 100 harmless events after a second death may take, and 99 of 100 of
    /// the innocent ones.
    private static let (servedMax, waitMax) = (1000, 500)
    /// Poisons from which these are held. Chosen: of fewer they would be the longest ones.
    private static let figuresMin = 100

    private let daemon: DaemonProcess
    /// Receipts that are replayed more than once.
    private static let replayedMax = 100

    private let count: Int?
    private let replays: Int?
    private var random: Randomness
    private let watchdog: Watchdog
    private var results: [PoisonResult] = []
    private var ends: [String: Int] = [:]
    private var rounds = 0
    private var sessions = 0
    /// Poisons in another process than the innocent session's, of those that are to share one.
    private var apart = 0
    private var standing = ""

    /// - Parameters:
    ///   - count: deaths in random order; each kind once if it is `nil`.
    ///   - replays: how often each of some receipts is replayed; if it is `nil`, each once, and
    ///     none of deaths in random order.
    init(
        _ daemon: DaemonProcess, count: Int?, replays: Int?, seed: UInt64, watchdog: Watchdog
    ) {
        (self.daemon, self.count, self.watchdog) = (daemon, count, watchdog)
        self.replays = replays
        random = Randomness(seed: seed)
    }

    private var deaths: Int { results.reduce(0) { $0 + $1.outcomes.count } }

    func run() async throws {
        watchdog.report = { [unowned self] in "\(standing)\n\(replaySums)" }
        if let count {
            while deaths < count {
                let app = Self.apps[random.below(Self.apps.count)]
                let all = possible(in: app).filter { !$0.isSlow }
                try await round(app, (0..<Self.roundMax).map { _ in all[random.below(all.count)] })
            }
        } else {
            for app in Self.apps {
                let all = possible(in: app)
                for start in stride(from: 0, to: all.count, by: Self.roundMax) {
                    try await round(app, Array(all[start...].prefix(Self.roundMax)))
                }
            }
            print(PoisonResult.table(results))
        }
        print("\(sums)\n\(replaySums)")
        let wrong = results.filter { !$0.wrong.isEmpty }
        try Failure.unless(
            wrong.isEmpty,
            "\(wrong.count) of \(results.count) are not as they are to be\n"
                + wrong.map(\.complaint).joined(separator: "\n"))
        try Failure.unless(
            apart <= results.count / 10, "\(apart) poisons were in another process")
        guard results.count >= Self.figuresMin else { return }
        try Failure.unless(
            figures.served.p99 <= Self.servedMax
                && figures.waits.allSatisfy { $0.p99 <= Self.waitMax },
            "the 99th percentiles are above \(Self.servedMax) and \(Self.waitMax) ms")
    }

    private func possible(in app: String) -> [Death] {
        Death.allCases.filter { app.hasPrefix(Self.kinds[0]) || !$0.needsLedger }
    }

    // MARK: - A round

    private func round(_ app: String, _ deaths: [Death]) async throws {
        rounds += 1
        standing = "\(app), round \(rounds)"
        let innocent = "innocent-\(rounds)"
        let innocents = try await Innocents(
            of: app, session: innocent, isDurable: app.hasPrefix(Self.kinds[0]), in: daemon)
        // The second of two workers has this one; so the first has the poison, too.
        let other = BookFront(
            1, of: app, session: "other-\(rounds)", at: daemon.address,
            BookWitness(of: app, "other", in: daemon.place))
        if app.hasSuffix(Self.isolations[1]) { try await other.front.attach() }
        do {
            for death in deaths where count.map({ self.deaths < $0 }) ?? true {
                try await poison(death, app, beside: innocents, innocent)
            }
            ends.merge(try await innocents.finish(), uniquingKeysWith: +)
        } catch {
            throw Failure("\(standing): \(error)")
        }
        if app.hasSuffix(Self.isolations[1]) { await other.front.detach() }
        for session in [innocent, "other-\(rounds)"] { try await end(session) }
    }

    /// Ends a session, also one that cannot be launched. A volatile one may not be there.
    private func end(_ session: String) async throws {
        do {
            let _: Bool = try await daemon.query(.kill(session: session))
        } catch let error as FrontError where error.refusal == .unknownSession {
            return
        }
    }

    private func poison(
        _ death: Death, _ app: String, beside innocents: Innocents, _ innocent: String
    ) async throws {
        sessions += 1
        let session = "poison-\(death)-\(sessions)"
        standing = "\(death) in \(session) of \(app)"
        watchdog.reset()
        let before = try await receipts(of: app).last?.number ?? 0
        var result = PoisonResult(death: death, app: app, session: session, newerThan: before)
        _ = innocents.takeWaits()
        let unknown = innocents.unknown
        innocents.noted("\(death) is sent")
        try await (death.isOfLaunch ? launch : send)(&result, innocent)
        result.take(try await receipts(of: app))
        if count == nil || replays != nil { try await replay(&result) }
        result.waits = innocents.takeWaits()
        result.unknown = innocents.unknown - unknown
        if let violation = innocents.violation { throw Failure(violation) }
        try await end(session)
        let apps: [AppInfo] = try await daemon.query(.apps)
        let states = apps.filter { $0.app == app }.flatMap { info in
            [info.state] + (info.workers ?? []).map(\.state)
        }
        if states.contains(.degraded) { result.wrong.append("degraded") }
        result.check()
        results.append(result)
        // Chosen: until a death that counts for the next one's delay is forgotten.
        if result.outcomes.contains(.unnamed) { try await Task.sleep(for: .milliseconds(1100)) }
    }

    private var replayed: Int { results.count { $0.replays > 0 } }

    private var replaySums: String {
        "replays    \(results.reduce(0) { $0 + $1.replays }) of \(replayed) receipts, "
            + "\(results.reduce(0) { $0 + $1.sameDeaths }) of them the same death"
    }

    /// Has the event that was set aside run again elsewhere, where it must die as it did each time.
    private func replay(_ result: inout PoisonResult) async throws {
        guard !result.death.isSlow, let receipt = result.setAside, receipt.input?.kind == .event,
            replays == nil || replayed < Self.replayedMax
        else { return }
        let (app, most) = (result.app, replays ?? 1)
        for start in stride(from: 0, to: most, by: 2) where result.replays == result.sameDeaths {
            watchdog.reset()
            // Two at once, which must not disturb each other.
            async let one = said(byReplayOf: receipt, of: app)
            async let other = start + 1 < most ? said(byReplayOf: receipt, of: app) : nil
            for said in try await [one, other].compactMap(\.self) {
                result.replays += 1
                if said.hasPrefix("the same death: ") {
                    result.sameDeaths += 1
                } else {
                    result.wrong.append("its replay says \(said)")
                }
            }
        }
    }

    /// Replays a receipt. Returns what was said, or `nil` if it cannot be replayed: the page of a
    /// worker with many sessions may have forgotten the launch.
    private func said(byReplayOf receipt: Receipt, of app: String) async throws -> String? {
        let replay = try Child(
            Product.path("napkin-client"),
            ["crash", "replay", app, "\(receipt.number)", "--socket", daemon.socket],
            environment: daemon.place.environment)
        let (said, errors) = (await replay.allLines(), await replay.allErrors())
        if app.hasPrefix(Self.kinds[1]), errors.contains("cannot be replayed") { return nil }
        return await replay.exit() == 0
            ? said.joined(separator: "\n") : "\(said), and \(errors)"
    }

    /// Has a handler die, as often as its sender sends the event, and a harmless one after it.
    private func send(_ result: inout PoisonResult, beside innocent: String) async throws {
        let front = PoisonFront(of: result.app, session: result.session, at: daemon.address)
        try await front.front.attach()
        _ = try await front.serves()
        if result.app.hasSuffix(Self.isolations[1]) {
            let first: [SessionInfo] = try await daemon.query(.sessions(app: "\(result.app)~1"))
            // A session that has just ended may still have its place among the first one's.
            if !Set([result.session, innocent]).isSubset(of: first.map(\.session)) { apart += 1 }
        }
        repeat {
            result.told.append(try await front.told(result.death))
            if result.death.isAnswered { try await deaths(of: result) }
            _ = try await front.serves()
            result.servedAt.append(Int64(Date().timeIntervalSince1970 * 1000))
        } while result.told.count < result.expected.count
        await front.front.detach()
    }

    /// Has a session's launch die, the first one or that by which a next process restores it.
    private func launch(_ result: inout PoisonResult, beside innocent: String) async throws {
        if result.death.needsLedger {
            let front = PoisonFront(of: result.app, session: result.session, at: daemon.address)
            try await front.front.attach()
            let pid = try await front.serves()
            _ = try await front.told(result.death)
            kill(pid, SIGKILL)
            try await deaths(of: result)
            await front.front.detach()
        }
        repeat {
            let front = PoisonFront(of: result.app, session: result.session, at: daemon.address)
            result.told.append(await refused(front))
        } while result.told.count < result.expected.count
    }

    /// Returns when the worker has died as often as it is to.
    private func deaths(of result: PoisonResult) async throws {
        while result.newer(try await receipts(of: result.app)).count < result.deaths {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Attaches a front to a session whose launch dies; returns why it is refused.
    private func refused(_ front: PoisonFront) async -> String {
        do {
            try await front.front.attach()
            return "value"
        } catch {
            return error.message.contains("twice: receipt ") ? "refused" : error.code.rawValue
        }
    }

    private func receipts(of app: String) async throws -> [Receipt] {
        try await daemon.query(.crashes(app: app))
    }

    /// Served after the second death, and the innocent waits of each isolation, in milliseconds.
    private var figures: (served: PoisonFigures, waits: [PoisonFigures]) {
        let quick = results.filter { !$0.death.isSlow }
        return (
            PoisonFigures(quick.compactMap(\.served)),
            Self.isolations.map { isolation in
                PoisonFigures(quick.filter { $0.app.hasSuffix(isolation) }.flatMap(\.waits))
            }
        )
    }

    /// The deaths beside which somebody waited longest.
    private var longest: [String] {
        let quick = results.filter { !$0.death.isSlow }
        return quick.map { ($0.waits.max() ?? 0, "\($0.death) in \($0.session) of \($0.app)") }
            .sorted { $0.0 > $1.0 }.prefix(5).map { "\($0) ms beside \($1)" }
    }

    private var sums: String {
        let ends = ends.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return """
            deaths     \(deaths) of \(results.count) poisons in \(rounds) rounds, \(apart) of them \
            apart
            served     after the second death: \(figures.served)
            innocents  \(ends.joined(separator: ", ")); 0 lost, 0 doubled, 0 reordered, \
            0 seen and then gone
            """
                + zip(Self.isolations, figures.waits).map { "\nwaits      \($0): \($1)" }.joined()
                + "\nlongest    " + longest.joined(separator: ", ")
    }
}
