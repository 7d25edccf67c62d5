// SpreadWorkload: an installed app whose sessions share a process, two, or have one each.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// The crowd's app once more, found by a manifest: only such an app has several workers.
enum SpreadApp: App {
    static let id = "spread"
    static let features: [any Feature.Type] = CrowdApp.features

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await CrowdApp.makeRoot(session)
    }
}

/// Sessions with one front each, whose events keep their workers busy.
@MainActor
struct SpreadWorkload {
    let events: Int
    let processor: Int?

    /// Sessions with a front each, in the benchmark's process. Chosen: a few for each worker.
    private static let sessions = 8
    /// Events of each front under way. Chosen: a worker never waits for the next one.
    private static let together = 4
    /// States that an event's handler presents, of which the front gets the newest. Chosen: the
    /// workers have the work, and the fronts next to none.
    private static let states = 1000

    func reports() async throws -> [Report] {
        var reports: [Report] = []
        for (name, isolation) in [
            ("spread-shared", #""shared""#), ("spread-two", #"{"workers": 2}"#),
            ("spread-session", #""session""#),
        ] {
            reports.append(try await report(name, isolation))
        }
        return reports
    }

    private func report(_ name: String, _ isolation: String) async throws -> Report {
        guard let program = OwnProgram.path else { throw BenchError("no path of this program") }
        let daemon = try Daemon()
        try daemon.install(
            SpreadApp.id,
            #"{"id": "\#(SpreadApp.id)", "worker": {"program": "\#(program)"}, "isolation": "#
                + isolation + "}")
        return try await daemon.run { daemon in
            var report = Report(workload: name, processor: processor)
            try await measure(daemon, &report)
            return report
        }
    }

    private func measure(_ daemon: Daemon, _ report: inout Report) async throws {
        let notes = CrowdNotes()
        notes.expect(.max)
        var starts: [Double] = []
        var fronts: [CrowdFront] = []
        for number in 0..<Self.sessions {
            let front = CrowdFront(
                daemon.socket, app: SpreadApp.id, session: "s\(number)", notes)
            let start = Placement.now()
            await front.attach()
            starts.append(Double(Placement.now() - start) / 1e6)
            fronts.append(front)
        }
        let workers = try await daemon.workerPIDs(of: SpreadApp.id)
        report.add("workers", Double(workers.count))
        report.add("first_start_ms", starts[0])
        report.add("start_ms", Report.median(Array(starts.dropFirst())))
        let resident = try workers.reduce(0) { $0 + (try Placement.residentKiB(of: $1)) }
        report.add("kib_each", Double(resident) / Double(Self.sessions))
        let used = workers.map { Placement.cpuNanoseconds(of: $0) }
        let start = Placement.now()
        let lanes = try fronts.flatMap { front in
            guard let listener = front.listener else {
                throw BenchError("a front does not show its session")
            }
            return (0..<Self.together).map { _ in
                let share = events / Self.sessions / Self.together
                return Task {
                    for _ in 0..<share { _ = try await listener.offer(Self.states) }
                    return share
                }
            }
        }
        var count = 0
        for lane in lanes { count += try await lane.value }
        let elapsed = Double(Placement.now() - start)
        let work = zip(workers, used).reduce(0) { $0 + Placement.cpuNanoseconds(of: $1.0) - $1.1 }
        report.add("events_per_s", Double(count) / elapsed * 1e9)
        report.add("worker_cpu_us_each", Double(work) / Double(count) / 1000)
        for front in fronts { await front.detach() }
    }
}
