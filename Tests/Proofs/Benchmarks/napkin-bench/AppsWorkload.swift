// AppsWorkload: what napkind and its workers need, and how others fare when a session dies.

import Glibc
import Histogram
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// The examples as installed programs, under the napkind beside this program.
@MainActor
struct AppsWorkload {
    /// Manifests, of which four are the examples'. Chosen: the design's number.
    private static let manifests = 50
    private static let examples = ["cart", "characters", "rib-house", "transcription"]

    let processor: Int?
    private let directory: String

    init(processor: Int?) throws {
        self.processor = processor
        guard let directory = OwnProgram.directory else { throw BenchError("where am I?") }
        self.directory = directory
        for name in ["napkind"] + Self.examples.map({ $0 + "-worker" })
        where access("\(directory)/\(name)", X_OK) != 0 {
            throw BenchError("there is no \(directory)/\(name); `make bench BENCH=apps` builds it")
        }
    }

    private func worker(_ example: String) -> String { "\(directory)/\(example)-worker" }

    func report() async throws -> Report {
        let daemon = try Daemon(
            .napkind(
                "\(directory)/napkind", app: Self.examples[0], worker: worker(Self.examples[0]),
                environment: ["CHARACTERS_SERVER": "127.0.0.1:1"]))
        for number in 1..<Self.manifests {
            let isExample = number < Self.examples.count
            let example = Self.examples[number % Self.examples.count]
            let id = isExample ? example : "\(example)-\(number)"
            try daemon.install(id, Daemon.manifest(id, worker(example)))
        }
        return try await daemon.run { daemon in
            var report = Report(workload: "apps", processor: processor)
            try await measure(daemon, &report)
            return report
        }
    }

    private func measure(_ daemon: Daemon, _ report: inout Report) async throws {
        let tool = try await DaemonConnection.connect(
            to: DaemonAddress(socket: daemon.socket), client: "napkin-bench", role: .tool)
        defer { tool.close() }
        let apps: [AppInfo] = try await tool.query(.apps)
        report.add("manifests", Double(apps.count))
        report.add("napkind_kib", Double(try Placement.residentKiB(of: tool.welcome.pid)))
        report.add("napkind_own_kib", Double(try Placement.ownKiB(of: tool.welcome.pid)))
        for example in Self.examples {
            let start = Placement.now()
            let _: AppSchema = try await tool.query(.schema(app: example))
            let name = example.replacing("-", with: "_")
            report.add("\(name)_start_ms", Double(Placement.now() - start) / 1e6)
            let pid = try await daemon.workerPID(of: example)
            report.add("\(name)_kib", Double(try Placement.residentKiB(of: pid)))
        }
        report.add("napkind_then_kib", Double(try Placement.residentKiB(of: tool.welcome.pid)))
    }
}

/// A hundred sessions with a process each, some of which are killed.
@MainActor
struct DeathsWorkload {
    let processor: Int?

    /// As the design has them; those that die are not measured.
    private static let sessions = 100
    private static let victims = 10
    /// Seconds of a round without deaths, and of one with one each half second. Chosen: each of the
    /// others sends some hundred events.
    private static let seconds = 5
    private static let rounds = 3
    /// The time from an answer to a front's next event. Chosen: half of two cores is busy.
    private static let pause = Duration.milliseconds(20)

    func report() async throws -> Report {
        guard let program = OwnProgram.path else { throw BenchError("no path of this program") }
        let daemon = try Daemon()
        try daemon.install(
            SpreadApp.id,
            #"{"id": "\#(SpreadApp.id)", "worker": {"program": "\#(program)"}, "#
                + #""isolation": "session"}"#)
        return try await daemon.run { daemon in
            var report = Report(workload: "deaths", processor: processor)
            try await measure(daemon, &report)
            return report
        }
    }

    private func measure(_ daemon: Daemon, _ report: inout Report) async throws {
        let notes = CrowdNotes()
        notes.expect(.max)
        var fronts: [CrowdFront] = []
        for number in 0..<Self.sessions {
            let front = CrowdFront(
                daemon.socket, app: SpreadApp.id, session: "s\(number)", notes)
            await front.attach()
            fronts.append(front)
        }
        let others = Array(fronts.dropLast(Self.victims))
        // A front of this program must not lose its worker.
        for victim in fronts.suffix(Self.victims) { await victim.detach() }
        let workers = try await daemon.workerPIDs(of: SpreadApp.id)
        report.add("workers", Double(workers.count))
        var (quiet, deadly): ([Double], [Double]) = ([], [])
        // The first events find caches cold, and count for neither.
        _ = try await events(of: others)
        var deaths = 0
        for _ in 0..<Self.rounds {
            quiet.append(try await events(of: others))
            let reaper = Task {
                var killed = 0
                while !Task.isCancelled {
                    await LoopTimer.wait(.milliseconds(500))
                    // Those that were killed before have been started again, as other processes.
                    let now = try await daemon.workerPIDs(of: SpreadApp.id)
                    kill(now[Self.sessions - 1 - killed % Self.victims], SIGKILL)
                    killed += 1
                }
                return killed
            }
            deadly.append(try await events(of: others))
            reaper.cancel()
            deaths += try await reaper.value
        }
        report.add("killed", Double(deaths))
        report.add("quiet_p99_us", Report.median(quiet))
        report.add("deaths_p99_us", Report.median(deadly))
        report.add("ratio_p99", Report.median(zip(deadly, quiet).map { $0 / $1 }))
        for front in others { await front.detach() }
    }

    /// Returns the 99th percentile of an event's round trip, in microseconds.
    private func events(of fronts: [CrowdFront]) async throws -> Double {
        let end = Placement.now() + UInt64(Self.seconds) * 1_000_000_000
        let lanes = try fronts.map { front in
            guard let listener = front.listener else {
                throw BenchError("a front does not show its session")
            }
            return Task {
                var times: [UInt64] = []
                while Placement.now() < end {
                    let start = Placement.now()
                    _ = try await listener.offer(1)
                    times.append(Placement.now() - start)
                    await LoopTimer.wait(Self.pause)
                }
                return times
            }
        }
        var histogram = Report.histogram()
        for lane in lanes { for time in try await lane.value { histogram.record(time) } }
        return Double(histogram.valueAtPercentile(99)) / 1000
    }
}
