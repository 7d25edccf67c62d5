// BenchCommand: the command line of the benchmark.
//
// Layer      benchmark.
// Isolation  @MainActor: the loop thread.

import ArgumentParser
import CFloor
import Glibc
import NapkinDaemon
import NapkinTransport

/// The workloads, by name.
enum WorkloadName: String, CaseIterable, ExpressibleByArgument {
    case floor, latency, throughput, codec, deltas
}

struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "napkin-bench",
        abstract: "Measures events between real processes, and the coder of their messages.",
        discussion: """
            Prints one line of JSON for each workload: percentiles in microseconds, calls per \
            second, and microseconds of processor time per call, worker and front together.

              floor       raw epoll ping-pong between two processes: what the machine can do
              latency     one event outstanding, in turn with the floor; ratio_p50 compares them
              throughput  64 events outstanding, or --outstanding
              codec       encoding and decoding, in ns and allocations per message: as a
                          @Message, as any Codable, and by Foundation's JSON coder
              deltas      bytes of a large state that changes, whole and as what has changed

            `make bench` builds it optimised and runs it; other figures mean nothing.

            Examples:
              napkin-bench latency --pin 0       all processes on one core
              napkin-bench                       all workloads, placed by the kernel
            """)

    @Argument(help: "floor, latency, throughput, codec, deltas; all of them when none is named.")
    var workloads: [WorkloadName] = []

    @Option(help: ArgumentHelp("Run all processes on this processor.", valueName: "cpu"))
    var pin: Int?

    @Option(help: "Calls counted in each workload (throughput: ten times as many).")
    var count = 100_000

    @Option(help: "Events kept outstanding by throughput.")
    var outstanding = 64

    func validate() throws {
        guard outstanding >= 1 else { throw ValidationError("--outstanding must be at least 1") }
        guard count >= 100 else { throw ValidationError("--count must be at least 100") }
    }

    @MainActor
    func measure() async -> Int32 {
        do {
            if let pin { try Placement.pin(to: pin) }
            for workload in workloads.isEmpty ? WorkloadName.allCases : workloads {
                var settings = WorkloadSettings(
                    count: count, processor: pin, outstanding: outstanding)
                let reports: [Report]
                switch workload {
                case .floor:
                    reports = [try await Workloads(settings: settings).floor()]
                case .latency:
                    reports = [try await Workloads(settings: settings).latency()]
                case .throughput:
                    settings.count = count * 10
                    reports = [try await Workloads(settings: settings).throughput()]
                case .codec:
                    reports = try CodecWorkload(count: count, processor: pin).reports()
                case .deltas:
                    reports = try DeltaWorkload(processor: pin).reports()
                }
                for report in reports { print(report.json) }
            }
            return EX_OK
        } catch {
            print("napkin-bench: \(error)")
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
            Napkind.main(apps: [BenchApp.self], arguments: Array(arguments.dropFirst()))
        }
        if arguments.contains("--worker") { Napkind.main(apps: [BenchApp.self]) }
        if arguments.first == "floor-peer" {
            serveFloor()
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
