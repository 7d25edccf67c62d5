// Workloads: what is measured: floor, latency, throughput.

import Glibc
import Histogram
import NapkinCore
import NapkinTransport

/// How much and where.
struct WorkloadSettings {
    /// Round trips counted, over all rounds.
    var count: Int
    /// The processor for all processes; `nil` leaves it to the kernel.
    var processor: Int?
    /// Events kept outstanding by the throughput workload.
    var outstanding = 64

    /// Floor and latency take turns, so that both see the same machine.
    static let rounds = 5
}

@MainActor
struct Workloads {
    let settings: WorkloadSettings

    /// Round trips of the floor that block the loop. Chosen: about 50 ms.
    private static let floorSlice = 10_000

    private func roundTrips(
        _ histogram: inout Histogram<UInt32>, _ count: Int,
        _ listener: any BenchPresentableListener, pause: Int = 0
    ) async throws {
        let item = CartItem.standard(1)
        for _ in 0..<count {
            if pause > 0 { usleep(UInt32(pause)) }
            let start = Placement.now()
            _ = try await listener.add(item)
            histogram.record(Placement.now() - start)
        }
    }

    // MARK: - Floor

    /// Starts the floor's child and measures `count` round trips.
    private func floorRound(
        _ count: Int, into histogram: inout Histogram<UInt32>
    ) async throws {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) {
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0)
            }
        }
        guard made == 0 else { throw BenchError("cannot make a socket pair") }
        _ = fcntl(ends.0, F_SETFD, FD_CLOEXEC)
        let child = try ChildProcess(
            .init(
                executable: OwnProgram.link, arguments: ["floor-peer"],
                descriptors: [3: ends.1])
        ) { _ in }
        close(ends.1)
        var floor = try Floor(socket: ends.0)
        defer { floor.end() }
        for _ in 0..<(count / 10) { _ = floor.roundTrip() }
        for trip in 0..<count {
            // Between slices the loop hears of signals.
            if trip.isMultiple(of: Self.floorSlice) { try await Task.sleep(for: .microseconds(1)) }
            let start = Placement.now()
            guard floor.roundTrip() else {
                throw BenchError("the floor's child \(child.pid) ended")
            }
            histogram.record(Placement.now() - start)
        }
    }

    func floor() async throws -> Report {
        var histogram = Report.histogram()
        let start = Placement.now()
        for _ in 0..<WorkloadSettings.rounds {
            try await floorRound(settings.count / WorkloadSettings.rounds, into: &histogram)
        }
        var report = Report(workload: "floor", processor: settings.processor)
        report.add(histogram)
        report.add("calls_per_s", perSecond(settings.count, since: start))
        return report
    }

    // MARK: - Latency

    /// One event outstanding; floor and events in turn.
    func latency() async throws -> Report {
        try await attached { listener, worker in
            var events = Report.histogram()
            var floor = Report.histogram()
            var ratios: [Double] = []
            var cpu: UInt64 = 0
            var elapsed: UInt64 = 0
            let each = settings.count / WorkloadSettings.rounds
            for _ in 0..<WorkloadSettings.rounds {
                var roundFloor = Report.histogram()
                try await floorRound(each, into: &roundFloor)
                var round = Report.histogram()
                var discarded = Report.histogram()
                try await roundTrips(&discarded, each / 10, listener)
                let used = cpuNow(worker)
                let start = Placement.now()
                try await roundTrips(&round, each, listener)
                elapsed += Placement.now() - start
                cpu += cpuNow(worker) - used
                ratios.append(
                    Double(round.valueAtPercentile(50)) / Double(roundFloor.valueAtPercentile(50)))
                merge(round, into: &events)
                merge(roundFloor, into: &floor)
            }
            let calls = each * WorkloadSettings.rounds
            var report = Report(workload: "latency", processor: settings.processor)
            report.add(events)
            report.add("calls_per_s", Double(calls) / Double(elapsed) * 1e9)
            report.add("cpu_us_per_call", Double(cpu) / Double(calls) / 1000)
            report.add(floor, prefix: "floor_")
            report.add("ratio_p50", ratios.sorted()[ratios.count / 2])
            return report
        }
    }

    /// One event outstanding, with a pause between two; in turn, so that all see the same machine.
    func pauses() async throws -> [Report] {
        try await attached { listener, worker in
            var reports: [Report] = []
            for pause in Self.pauses {
                // A second of each, and fewer where they are quick.
                let count = max(5, min(settings.count, 1_000_000 / max(10, pause)))
                var (histogram, discarded) = (Report.histogram(), Report.histogram())
                try await roundTrips(&discarded, count / 5, listener, pause: pause)
                let used = (worker: cpu(worker), both: cpuNow(worker))
                try await roundTrips(&histogram, count, listener, pause: pause)
                var report = Report(workload: "pauses", processor: settings.processor)
                report.add("pause_us", Double(pause))
                report.add(histogram)
                report.add(
                    "worker_cpu_us_per_call",
                    Double(cpu(worker) - used.worker) / Double(count) / 1000)
                report.add(
                    "cpu_us_per_call", Double(cpuNow(worker) - used.both) / Double(count) / 1000)
                reports.append(report)
            }
            return reports
        }
    }

    /// Microseconds: about 10,000 events a second, 1,000, 100, 10 and 1.
    private static let pauses = [0, 20, 100, 1_000, 10_000, 100_000, 1_000_000]

    // MARK: - Throughput

    /// A fixed number of events outstanding.
    func throughput() async throws -> Report {
        try await attached { listener, worker in
            let (load, outstanding) = (Load(listener), settings.outstanding)
            try await load.run(settings.count / 10, outstanding: outstanding)
            let used = cpuNow(worker)
            let start = Placement.now()
            try await load.run(settings.count, outstanding: outstanding)
            let elapsed = Placement.now() - start
            let cpu = cpuNow(worker) - used
            var report = Report(workload: "throughput", processor: settings.processor)
            report.add("outstanding", Double(outstanding))
            report.add(load.histogram)
            report.add("calls_per_s", Double(settings.count) / Double(elapsed) * 1e9)
            report.add("cpu_us_per_call", Double(cpu) / Double(settings.count) / 1000)
            return report
        }
    }

    // MARK: - Set-up

    private func attached<Result>(
        _ body: (any BenchPresentableListener, Int32) async throws -> Result
    ) async throws -> Result {
        try await Daemon().run { daemon in
            let front = BenchFront(socket: daemon.socket)
            defer { front.detach() }
            return try await body(try await front.attach(), try await daemon.workerPID())
        }
    }

    /// What the front (this process) and the worker have used.
    private func cpuNow(_ worker: Int32) -> UInt64 { cpu(getpid()) + cpu(worker) }

    private func cpu(_ process: Int32) -> UInt64 { Placement.cpuNanoseconds(of: process) }

    private func perSecond(_ count: Int, since start: UInt64) -> Double {
        Double(count) / Double(Placement.now() - start) * 1e9
    }

    private func merge(_ source: Histogram<UInt32>, into target: inout Histogram<UInt32>) {
        for value in source.recordedValues() { target.record(value.value, count: value.count) }
    }
}
