// SessionProbe: what a session promises, held against real processes, as often as it takes.
//
// Spec       Protocol/SPEC.md, section 9 (Resume)

import ArgumentParser
import CProofs
import Foundation
import NapkinCore
import NapkinDaemon
import NapkinTransport
import NapkinWorker

/// The proofs, by name.
enum Proof: String, CaseIterable, ExpressibleByArgument {
    case cuts, kills, storm, race, model, deaths, power, calls, poisons
}

struct SessionProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "SessionProbe",
        abstract: "Breaks what a session must survive, and counts what came of it.",
        discussion: """
              cuts    connections between a front and a worker break at random bytes of either
                      direction while both talk: no event is lost, applied twice or out of order,
                      every call ends, and the screen is that of a front that was left alone
              kills   daemon, worker and fronts are killed with -9 while events flow: every call
                      ends, what was acknowledged is neither lost nor doubled unless its worker
                      died, there is one worker, and nothing is left
              storm   kills, and strangers who do with sessions of their own whatever can be done,
                      and write frames in half; then the same without kills of daemon and worker:
                      what these hold in the end does not grow
              race    two fronts answer each question at the same instant: one wins, the other
                      is told
              model   random sessions in this process: attach, detach, send, present, cut, kill,
                      reattach, one after another and at the same time; a model in plain Swift
                      says what each front shows and how each event ends
              deaths  the same kills, of sessions that are durable: three fronts send events whose
                      handlers return, throw or wait after a change, schedule timers and post jobs;
                      what was acknowledged or shown is there when the last worker has restored it,
                      once and in order
              power   the same, of power cuts: the journals are on a file system that then loses
                      what was not synced, or a part of it; in the end that file system syncs
                      nothing, and what is lost has to be found. Needs FUSE, as root
              calls   the worker of a durable session is killed at its first, second, third… system
                      call while a script of 200 events runs, for so many of them, or all
              poisons one event ends its worker, in each of 50 ways, and two fronts of another
                      session send events meanwhile: the table of what each ended as; with --count,
                      so many deaths in random order, of those that take no seconds; with
                      --replays, the first 100 receipts are replayed that often each

            Everything that is random is drawn from the seed, which is printed.

            Example:
              SessionProbe cuts --count 10000 --seed 7
              SessionProbe storm --seconds 3600

            Exit status: 0 everything held; 1 something did not; 64 a wrong option.
            """)

    @Argument(help: "cuts, kills, storm, race, model, deaths, power, calls or poisons.")
    var proof: Proof

    @Option(
        help: "How often: cuts, kills, questions, cases (and a fifth of them at the same time).")
    var count: Int?

    @Option(help: "How long: of a storm.")
    var seconds: Int?

    @Option(help: "How often each of 100 receipts of poisons is replayed.")
    var replays: Int?

    @Option(help: "What to draw from; a random one, which is printed, unless given.")
    var seed: UInt64?

    @Flag(help: "Keep the sessions of deaths in a PostgreSQL, which is started for it.")
    var postgres = false

    @Option(help: "A directory with a short path, which the caller cleans up.")
    var directory: String?

    func validate() throws {
        if let replays, proof != .poisons || replays < 1 {
            throw ValidationError("--replays is at least 1, and of poisons")
        }
        if proof == .poisons, count == nil { return }
        let (name, amount) = proof == .storm ? ("seconds", seconds) : ("count", count)
        guard let amount, amount > 0 else {
            throw ValidationError("\(proof.rawValue) needs --\(name), which is at least 1")
        }
    }

    private var amount: Int { (proof == .storm ? seconds : count) ?? 0 }

    @MainActor
    func prove() async -> Int32 {
        let seed = self.seed ?? .random(in: 1 ... .max)
        print("seed       \(seed)")
        fflush(nil)
        let start = ContinuousClock.now
        let watchdog = Watchdog()
        do {
            if proof == .model {
                try await ModelProof(count: amount, seed: seed, watchdog: watchdog).run()
            } else {
                try await proveWithDaemon(seed, watchdog)
            }
            let number = proof == .poisons && count == nil ? "all" : "\(amount)"
            print("held       \(number) \(proof.rawValue) in \(ContinuousClock.now - start)")
            return 0
        } catch {
            print("violation  with seed \(seed): \(error)")
            return 1
        }
    }

    @MainActor
    private var apps: [String] {
        switch proof {
        case .deaths, .power, .calls: DeathProof.apps
        case .poisons: PoisonProof.apps
        default: [TallyApp.id]
        }
    }

    @MainActor
    private func proveWithDaemon(_ seed: UInt64, _ watchdog: Watchdog) async throws {
        let daemon = try await DaemonProcess(
            in: directory,
            apps: apps, manifest: proof == .poisons ? PoisonProof.manifest : { _ in [] },
            hasPowerDisk: proof == .power, hasDatabase: postgres)
        watchdog.cleanUp = { daemon.abandon() }
        do {
            switch proof {
            case .cuts:
                try await CutProof(daemon, count: amount, seed: seed, watchdog: watchdog).run()
            case .kills:
                try await KillProof(daemon, .count(amount), seed: seed, watchdog: watchdog).run()
            case .storm:
                try await StormProof(daemon, seconds: amount, seed: seed, watchdog: watchdog)
                    .run()
            case .race:
                try await RaceProof(daemon, count: amount, seed: seed, watchdog: watchdog).run()
            case .deaths, .power:
                try await DeathProof(daemon, count: amount, seed: seed, watchdog: watchdog).run()
            case .calls:
                try await CallProof(daemon, count: amount, seed: seed, watchdog: watchdog).run()
            case .poisons:
                try await PoisonProof(
                    daemon, count: count, replays: replays, seed: seed, watchdog: watchdog
                ).run()
            case .model: break
            }
        } catch {
            daemon.abandon()
            throw error
        }
        try await daemon.end()
    }
}

@main
enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let prefix = getenv("NAPKIN_SCALE") {
            precondition(napkin_scale_serve(prefix) == 0, "no scale at \(String(cString: prefix))")
        }
        if arguments.first == "serve" {
            Napkind.main(Array(arguments.dropFirst()))
        }
        if arguments.contains("--worker") {
            napkin_allow_tracer()
            WorkerProgram.main(
                TallyApp.self, BookApp.self, QuickBookApp.self, DurablePoison.self,
                VolatilePoison.self)
        }
        if arguments.first == "trace" { exit(TracerMain.run(Array(arguments.dropFirst()))) }
        if arguments.first == "front" {
            Loop.main { await FrontMain.run(Array(arguments.dropFirst())) }
        }
        Loop.main {
            InteractorExecutor.useMainActor()
            let command: SessionProbe
            do {
                command = try SessionProbe.parse()
            } catch {
                SessionProbe.exit(withError: error)
            }
            return await command.prove()
        }
    }
}
