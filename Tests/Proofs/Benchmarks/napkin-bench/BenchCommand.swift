// BenchCommand: the command line of the benchmark.

import ArgumentParser
import CFloor
import Glibc
import NapkinCore
import NapkinDaemon
import NapkinTransport
import NapkinWorker

/// The workloads, by name.
enum WorkloadName: String, CaseIterable, ExpressibleByArgument {
    case floor, latency, pauses, throughput, codec, deltas, fastpath
    case effects, states, log, fanout, footprint, payloads, steps
    case slowFront = "slow-front"
    case screen, spread, deaths, apps, store, durable

    /// The workloads that take some seconds each.
    static let quick: [WorkloadName] = [.floor, .latency, .throughput, .codec, .deltas]
}

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "napkin-bench",
        abstract: "Measures events between real processes, and the coder of their messages.",
        discussion: """
            Prints one line of JSON for each workload: percentiles in microseconds, calls per \
            second, and microseconds of processor time per call, worker and front together.

              floor       raw epoll ping-pong between two processes: what the machine can do
              latency     one event outstanding, in turn with the floor; ratio_p50 compares
                          them
              pauses      the same with 0 to 1,000,000 µs between two events
              throughput  64 events outstanding, or --outstanding
              codec       encoding and decoding, in ns and allocations per message: as a
                          @Message, as any Codable, and by Foundation's JSON coder
              deltas      bytes of a large state that changes, whole and as what has changed
              fastpath    in ns, each piece of the fast path, beside what the language has
                          for it
              effects     of 200 bytes, to one front and to 50: deliveries per second, none
                          dropped
              states      of 200 bytes, as fast as one can present them: offered and
                          delivered
              log         --lines of a build, appended to a log, to one front and to 50,
                          none skipped; and how much worker and front have grown
              fanout      --fronts attached to one session: time to attach, KiB of the
                          worker for each, microseconds from a push to each of them,
                          deliveries per second
              footprint   the same with --sessions, one front each; then the trees of all,
                          and how long one front's events take meanwhile
              payloads    64 bytes to 8 MiB, there and back, one event outstanding
              steps       --count attachments, effects or events (--step) of one front, in
                          turn, for scripts/ratchet.py, which counts instructions
              slow-front  --states presented in --seconds while one front is stopped: growth
                          of the worker in KiB, and another front's events with and without
                          it
              spread      sessions that share a process, two, or have one each: milliseconds
                          until the first and another session is shown, KiB for each
                          session, events per second whose handlers compute
              deaths      a hundred sessions with a process each: p99 of events of ninety
                          while none is killed, and while one of the others is each half
                          second
              apps        the examples under a napkind with 50 manifests: KiB of it and of
                          each worker, milliseconds until a worker answers
              store       groups of 400 and 8,000 bytes kept in a file in /var/tmp, for both
                          durabilities, in turn with the floor of the disk: 4 KiB written
                          and synced; ratios to it, and milliseconds to empty a log of 16
                          MiB; with --ledger, of groups in a PostgreSQL, and of the same
                          bytes in a bare statement
              durable     sessions that are kept, beside others: one event outstanding and
                          64, bytes of the journal, KiB of idle sessions, milliseconds from
                          a worker's death until its fronts are resumed, and how long the
                          loop stands still beside a store of 50 ms a sync; --parts chooses
              screen      napkin-client on a terminal: first paint with and without a
                          daemon, from a key to the screen, and processor time of 60 changes
                          a second, and of a list of 10,000 rows in which 60 are passed a
                          second

            `make bench` builds it optimised and runs it; other figures mean nothing.

            Examples:
              napkin-bench latency --pin 0       all processes on one core
              napkin-bench                       floor to deltas, placed by the kernel
            """)

    @Argument(help: "The workloads above; floor to deltas when none is named.")
    var workloads: [WorkloadName] = []

    @Option(help: ArgumentHelp("Run all processes on this processor.", valueName: "cpu"))
    var pin: Int?

    @Option(
        help: "Calls counted in each workload (throughput, effects, states: ten times as many).")
    var count = 100_000

    @Option(help: "Events kept outstanding by throughput.")
    var outstanding = 64

    @Option(
        parsing: .upToNextOption,
        help: "What durable measures: \(DurablePart.names).")
    var parts = DurablePart.allCases

    @Option(help: "What steps repeats --count times, for scripts/ratchet.py and ways.py.")
    var step = CrowdWorkloads.Step.attach

    @Option(help: "A PostgreSQL that store measures, too: postgres:SERVICE, with the tables.")
    var ledger: String?

    @Option(help: "Lines of log.")
    var lines = 200_000

    @Option(help: "Fronts of fanout.")
    var fronts = 1000

    @Option(help: "Sessions of footprint.")
    var sessions = 10_000

    @Option(help: "States of slow-front.")
    var states = 1_000_000

    @Option(help: "Seconds for which slow-front stops a front.")
    var seconds = 30

    /// As the design has them.
    private static let frontsOfEffects = 50

    func validate() throws {
        guard fronts >= 1, sessions >= 1 else {
            throw ValidationError("--fronts and --sessions must be at least 1")
        }
        guard lines >= 2500 else { throw ValidationError("--lines must be at least 2500") }
        guard states >= 10, seconds >= 1 else {
            throw ValidationError("--states must be at least 10, --seconds at least 1")
        }
        guard outstanding >= 1 else { throw ValidationError("--outstanding must be at least 1") }
        guard count >= 100 else { throw ValidationError("--count must be at least 100") }
    }

    @MainActor
    private func crowd(_ fronts: Int) -> CrowdWorkloads {
        CrowdWorkloads(fronts: fronts, processor: pin)
    }

    @MainActor
    func measure() async -> Int32 {
        do {
            if let pin { try Placement.pin(to: pin) }
            for workload in workloads.isEmpty ? WorkloadName.quick : workloads {
                var settings = WorkloadSettings(
                    count: count, processor: pin, outstanding: outstanding)
                let reports: [Report]
                switch workload {
                case .floor:
                    reports = [try await Workloads(settings: settings).floor()]
                case .latency:
                    reports = [try await Workloads(settings: settings).latency()]
                case .pauses:
                    reports = try await Workloads(settings: settings).pauses()
                case .throughput:
                    settings.count = count * 10
                    reports = [try await Workloads(settings: settings).throughput()]
                case .effects:
                    reports = [
                        try await crowd(1).effects(deliveries: count * 10),
                        try await crowd(Self.frontsOfEffects).effects(deliveries: count * 10),
                    ]
                case .states:
                    reports = [try await crowd(1).states(count * 10)]
                case .log:
                    reports = [
                        try await crowd(1).log(lines),
                        try await crowd(Self.frontsOfEffects).log(lines / 10),
                    ]
                case .payloads: reports = try await crowd(1).payloads(count)
                case .steps: reports = [try await crowd(1).steps(step, count)]
                case .fanout: reports = [try await crowd(fronts).fanout()]
                case .footprint:
                    reports = [try await crowd(sessions).footprint()]
                case .slowFront:
                    let workload = SlowFrontWorkload(
                        states: states, seconds: seconds, processor: pin)
                    reports = [try await workload.report()]
                case .screen:
                    reports = try await ScreenWorkload(processor: pin).reports()
                case .spread:
                    reports = try await SpreadWorkload(events: count / 10, processor: pin).reports()
                case .deaths:
                    reports = [try await DeathsWorkload(processor: pin).report()]
                case .apps:
                    reports = [try await AppsWorkload(processor: pin).report()]
                case .store:
                    reports = try StoreWorkload(count: count, processor: pin, ledger: ledger)
                        .reports()
                case .durable:
                    reports = try await DurableWorkload(count: count, processor: pin)
                        .reports(parts)
                case .codec:
                    reports = try CodecWorkload(count: count, processor: pin).reports()
                case .fastpath:
                    reports = [
                        try await FastPathWorkload(count: count * 10, processor: pin).report()
                    ]
                case .deltas:
                    reports = try DeltaWorkload(processor: pin).reports()
                }
                try StandardStream.output.write(PrintableText(lines: reports.map(\.json)))
            }
            return EX_OK
        } catch {
            // When standard error is closed there is nobody left to tell.
            try? StandardStream.error.write(PrintableText(line: "napkin-bench: \(error)"))
            return EX_SOFTWARE
        }
    }
}

@main
enum Main {
    /// The descriptor on which the floor's child finds its socket.
    private static let floorDescriptor: Int32 = 3

    private static func serveFloor() -> Never {
        do {
            var floor = try Floor(socket: floorDescriptor)
            floor.serve()
            exit(EX_OK)
        } catch {
            exit(EX_OSERR)
        }
    }

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "serve" {
            // A benchmark that is killed leaves no daemon behind.
            guard napkin_end_with_parent() == 0 else { exit(EX_OSERR) }
            Napkind.main(Array(arguments.dropFirst()))
        }
        if arguments.contains("--worker") {
            WorkerProgram.main(
                BenchApp.self, CrowdApp.self, SpreadApp.self, VolatileApp.self, ProcessApp.self,
                MachineApp.self, RowsApp.self)
        }
        if arguments.first == "floor-peer" {
            serveFloor()
        }
        if arguments.first == "front-peer", arguments.count == 2 {
            Loop.main { await FrontPeer.run(arguments[1]) }
        }
        if arguments.first == "trees", arguments.count == 3 {
            Loop.main {
                await CrowdWorkloads.listTrees(arguments[1], Int(arguments[2]) ?? -1)
            }
        }
        Loop.main {
            let command: BenchCommand
            do {
                command = try BenchCommand.parse()
            } catch {
                BenchCommand.exit(withError: error)
            }
            return await command.measure()
        }
    }
}
