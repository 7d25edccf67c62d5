// StormProof: everything at once, for a given time, and what is left of it.

import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport
import ProofSupport

/// Four parts of a storm: with kills of daemon and worker, and three times without; more of these
/// while each has left more in use than the one before. What leaks grows in each part.
@MainActor
final class StormProof {
    static let strangers = 4
    /// Looks at the sockets that are left. Chosen.
    static let looks = 50
    static let parts = 4
    /// Chosen: a worker keeps some 500 KiB for its busiest moment, in runners, dispatch queues and
    /// buffers of writers; short parts may each meet a busier one, a few times.
    static let partsMax = 8
    /// Bytes of the heap that a process may have more after each part. Chosen: a busier moment
    /// adds up to 250 KiB, and one that leaks a hundred bytes for each event adds more each time.
    static let growthMax = 128 * 1024

    private let daemon: DaemonProcess
    private let seconds: Int
    private var random: Randomness
    private let watchdog: Watchdog
    private var kills = 0
    private var events = 0
    private var visits = 0

    init(_ daemon: DaemonProcess, seconds: Int, seed: UInt64, watchdog: Watchdog) {
        self.daemon = daemon
        self.seconds = seconds
        self.watchdog = watchdog
        random = Randomness(seed: seed)
    }

    /// What napkind and the worker hold when nobody is there.
    private struct Rest {
        let heaps: [Int]
        let residents: [Int]
        let sockets: [Int]
        let processes: Int

        var text: String {
            zip(["napkind", "worker"], zip(zip(heaps, residents), sockets)).map { name, figures in
                "\(name) \(figures.0.0 / 1024) KiB of heap, \(figures.0.1) KiB resident, "
                    + "\(figures.1) sockets"
            }.joined(separator: "; ")
        }
    }

    func run() async throws {
        var rests: [Rest] = []
        while rests.count < Self.parts || (rests.count < Self.partsMax && growsEachTime(rests)) {
            let mayLose = rests.isEmpty
            let strangers = (1...Self.strangers).map {
                Stranger($0, daemon, mayLose: mayLose, seed: random.next())
            }
            let proof = KillProof(
                daemon, .seconds(max(1, seconds / Self.parts)),
                kinds: mayLose ? KillProof.Kind.allCases : [.front], strangers: strangers,
                seed: random.next(), watchdog: watchdog)
            try await proof.run()
            print(text(strangers))
            kills += proof.killCount
            events += proof.eventCount
            visits += strangers.reduce(0) { $0 + $1.visits }
            let rest = try await rest()
            print("rest       \(rest.text)")
            fflush(nil)
            rests.append(rest)
        }
        try compare(rests)
        print(row(rests[rests.count - 2], rests[rests.count - 1]))
    }

    /// As BENCHMARKS.md has it.
    private func row(_ before: Rest, _ after: Rest) -> String {
        let heaps = zip(before.heaps, after.heaps).map { "\($0 / 1024) → \($1 / 1024) KiB" }
        let residents = zip(before.residents, after.residents).map { "\($0) → \($1) KiB" }
        return "| storm, \(seconds) s | \(kills) | \(events) | \(visits) | \(heaps[0]), "
            + "\(residents[0]) | \(heaps[1]), \(residents[1]) |"
    }

    /// Everybody has left; then every session is ended, and what is left is looked at.
    private func rest() async throws -> Rest {
        let tool = try await DaemonConnection.connect(
            to: daemon.address, client: "session-probe", role: .tool)
        defer { tool.close() }
        let sessions: [SessionInfo] = try await tool.query(.sessions(app: TallyApp.id))
        for session in sessions {
            let _: Bool = try await tool.query(.kill(session: session.session))
        }
        let left: [SessionInfo] = try await tool.query(.sessions(app: TallyApp.id))
        try Failure.unless(left.isEmpty, "sessions are left: \(left.map(\.session))")
        let pids = [daemon.pid, try await daemon.workerPID()]
        var sockets = [Int.max, Int.max]
        // The end of a connection may not have been seen yet; what is left stays at every look.
        for _ in 0..<Self.looks {
            let now = try pids.map { try Vitals(of: $0).sockets }
            sockets = zip(sockets, now).map(min)
            let _: [SessionInfo] = try await tool.query(.sessions(app: TallyApp.id))
        }
        let vitals = try pids.map { try Vitals(of: $0) }
        return Rest(
            heaps: try pids.map(daemon.heapBytes), residents: vitals.map(\.residentKiB),
            sockets: sockets,
            processes: Vitals.processes(mentioning: daemon.directory).count)
    }

    /// Whether a process has more in use after each calm part than after the one before.
    private func growsEachTime(_ rests: [Rest]) -> Bool {
        let calm = rests.dropFirst()
        return (0..<2).contains { process in
            zip(calm, calm.dropFirst()).allSatisfy {
                $1.heaps[process] - $0.heaps[process] > Self.growthMax
            }
        }
    }

    private func compare(_ rests: [Rest]) throws {
        let calm = rests.dropFirst()
        let text = calm.map(\.text).joined(separator: ", then ")
        try Failure.unless(
            !growsEachTime(rests), "more is in use after each part than before: \(text)")
        try Failure.unless(
            Set(calm.suffix(2).map(\.sockets)).count == 1
                && Set(calm.suffix(2).map(\.processes)).count == 1,
            "sockets or processes are left: \(text)")
    }

    private func text(_ strangers: [Stranger]) -> String {
        let deeds = Stranger.Deed.allCases.map { deed in
            "\(strangers.reduce(0) { $0 + $1.deeds[deed, default: 0] }) \(deed.rawValue)"
        }
        func sum(_ value: (Stranger) -> Int) -> Int { strangers.reduce(0) { $0 + value($1) } }
        return """
            visits     \(sum(\.visits)): \(deeds.joined(separator: ", "))
            calls      \(sum(\.calls)) of strangers, each ended once; \(sum(\.doubtful)) of them \
            as unknown or not run
            """
    }
}
