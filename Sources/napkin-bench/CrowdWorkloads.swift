// CrowdWorkloads: many fronts on one session, many sessions with one front each, and streams.
//
// Layer      benchmark.
// Isolation  @MainActor: the loop thread.

import Glibc
import Histogram
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
struct CrowdWorkloads {
    let fronts: Int
    let processor: Int?

    /// Attachments that are under way at once. Chosen: less than the backlog of a socket.
    private static let together = 64
    /// Pushes whose latency is measured. Chosen: a delivery to each front, some hundred times.
    private static let pushes = 300
    /// What one event presents, and events under way. Chosen: effects together less than a front's
    /// queue holds, so that none may be dropped, whatever the fronts are doing.
    private static let burst = 250
    private static let burstsTogether = 4

    /// All fronts on one session.
    func fanout() async throws -> Report {
        try await crowded("fanout", ownSessions: false) { crowd, report in
            let notes = crowd.notes
            var latencies = Report.histogram()
            var elapsed: UInt64 = 0
            guard let listener = crowd.fronts.first?.listener else {
                throw BenchError("no front shows the session")
            }
            for number in 1...Self.pushes {
                notes.expect(fronts)
                let start = Placement.now()
                _ = try await listener.push(number)
                await notes.complete()
                elapsed += Placement.now() - start
                for value in notes.latencies.recordedValues() {
                    latencies.record(value.value, count: value.count)
                }
            }
            report.add(latencies, prefix: "push_")
            report.add("deliveries_per_s", Double(fronts * Self.pushes) / Double(elapsed) * 1e9)
        }
    }

    /// Effects to all fronts. Throws when the worker has dropped one.
    func effects(deliveries: Int) async throws -> Report {
        try await crowded("effects", ownSessions: false) { crowd, report in
            let bursts = max(1, deliveries / fronts / Self.burst)
            crowd.notes.expect(bursts * Self.burst * fronts)
            let used = Placement.cpuNanoseconds(of: crowd.worker)
            let start = Placement.now()
            _ = try await crowd.bursts(bursts) { try await $0.burst(Self.burst) }
            await crowd.notes.complete()
            let elapsed = Double(Placement.now() - start)
            let work = Double(Placement.cpuNanoseconds(of: crowd.worker) - used)
            let skipped = crowd.fronts.reduce(0) { $0 + $1.skippedEffects }
            guard skipped == 0 else { throw BenchError("\(skipped) effects were dropped") }
            let deliveries = Double(crowd.notes.count)
            report.add("effects", Double(bursts * Self.burst))
            report.add("deliveries_per_s", deliveries / elapsed * 1e9)
            report.add("worker_cpu_us_each", work / deliveries / 1000)
        }
    }

    /// Lines of a build to all fronts. Throws when a front has skipped one.
    func log(_ lines: Int) async throws -> Report {
        try await crowded("log", ownSessions: false) { crowd, report in
            let before = try Placement.residentKiB(of: crowd.worker)
            let own = try Placement.residentKiB(of: getpid())
            let bursts = max(1, lines / Self.burst)
            crowd.notes.expect(bursts * Self.burst * fronts)
            let used = Placement.cpuNanoseconds(of: crowd.worker)
            let start = Placement.now()
            _ = try await crowd.bursts(bursts) { try await $0.build(Self.burst) }
            await crowd.notes.complete()
            let elapsed = Double(Placement.now() - start)
            let work = Double(Placement.cpuNanoseconds(of: crowd.worker) - used)
            let skipped = crowd.fronts.reduce(0) { $0 + $1.skippedLines }
            guard skipped == 0 else { throw BenchError("\(skipped) lines were skipped") }
            let deliveries = Double(crowd.notes.count)
            report.add("lines", Double(bursts * Self.burst))
            report.add("deliveries_per_s", deliveries / elapsed * 1e9)
            report.add("worker_cpu_us_each", work / deliveries / 1000)
            let growth = try Placement.residentKiB(of: crowd.worker) - before
            report.add("worker_growth_kib", Double(growth))
            report.add("front_growth_kib", Double(try Placement.residentKiB(of: getpid()) - own))
        }
    }

    /// States to all fronts, until each has the newest.
    func states(_ count: Int) async throws -> Report {
        try await crowded("states", ownSessions: false) { crowd, report in
            let before = try Placement.residentKiB(of: crowd.worker)
            crowd.notes.expect(.max)
            let start = Placement.now()
            let bursts = max(1, count / Self.burst)
            let newest = try await crowd.bursts(bursts) { try await $0.offer(Self.burst) }.max()
            // What a handler presents has arrived before its reply, at this front; the others
            // have theirs in their sockets.
            for front in crowd.fronts { await front.shows(newest ?? 0) }
            let elapsed = Double(Placement.now() - start)
            let growth = try Placement.residentKiB(of: crowd.worker) - before
            report.add("offered_per_s", Double(bursts * Self.burst) / elapsed * 1e9)
            report.add("deliveries_per_s", Double(crowd.notes.count) / elapsed * 1e9)
            report.add("worker_growth_kib", Double(growth))
        }
    }

    /// Each front on a session of its own.
    func footprint() async throws -> Report {
        try await crowded("footprint", ownSessions: true) { crowd, report in
            var latencies = Report.histogram()
            for front in crowd.fronts {
                crowd.notes.expect(1)
                _ = try await front.listener?.push(1)
                await crowd.notes.complete()
                for value in crowd.notes.latencies.recordedValues() {
                    latencies.record(value.value, count: value.count)
                }
            }
            report.add(latencies, prefix: "push_")
            try await tree(crowd, &report)
        }
    }

    /// Asks for the trees of all sessions, as a process of its own. Returns the exit status, which
    /// says whether there were `count`.
    static func listTrees(_ socket: String, _ count: Int) async -> Int32 {
        do {
            let connection = try await DaemonConnection.connect(
                to: DaemonAddress(socket: socket), client: "napkin-bench", role: .tool)
            let trees: [SessionTree] = try await connection.query(
                .tree(app: CrowdApp.id, session: nil))
            connection.close()
            return trees.count == count ? EX_OK : EX_DATAERR
        } catch {
            return EX_SOFTWARE
        }
    }

    /// The trees of all sessions are asked for, while one front goes on.
    private func tree(_ crowd: Crowd, _ report: inout Report) async throws {
        guard let listener = crowd.fronts.first?.listener else {
            throw BenchError("no front shows the session")
        }
        // In a process of its own, so that the front waits for nothing but the worker.
        var status: ChildProcess.ExitStatus?
        let start = Placement.now()
        _ = try ChildProcess(
            .init(
                executable: "/proc/self/exe",
                arguments: ["trees", crowd.socket, "\(crowd.fronts.count)"])
        ) { status = $0 }
        var trips = Report.histogram()
        while status == nil {
            let start = Placement.now()
            _ = try await listener.ping()
            trips.record(Placement.now() - start)
        }
        report.add("tree_ms", Double(Placement.now() - start) / 1e6)
        guard case .exited(EX_OK) = status else { throw BenchError("not all trees were listed") }
        report.add("tree_front_p99_us", Double(trips.valueAtPercentile(99)) / 1000)
        report.add("tree_front_max_us", Double(trips.max) / 1000)
    }

    @MainActor
    private struct Crowd {
        let socket: String
        let worker: Int32
        var fronts: [CrowdFront]
        let notes: CrowdNotes

        /// Has the first front send so many events, some of them at a time, so that worker and
        /// fronts are never idle. Returns what they returned.
        func bursts<R: Sendable>(
            _ count: Int,
            _ send: @escaping @MainActor (any CrowdPresentableListener) async throws -> R
        ) async throws -> [R] {
            guard let listener = fronts.first?.listener else {
                throw BenchError("no front shows the session")
            }
            let lanes = (0..<CrowdWorkloads.burstsTogether).map { lane in
                Task {
                    var results: [R] = []
                    for _ in stride(from: lane, to: count, by: CrowdWorkloads.burstsTogether) {
                        results.append(try await send(listener))
                    }
                    return results
                }
            }
            var results: [R] = []
            for lane in lanes { results += try await lane.value }
            return results
        }
    }

    private func crowded(
        _ workload: String, ownSessions: Bool,
        _ body: (Crowd, inout Report) async throws -> Void
    ) async throws -> Report {
        let daemon = try Daemon()
        try await daemon.start()
        var report = Report(workload: workload, processor: processor)
        do {
            try await measure(daemon, { ownSessions ? "s\($0)" : "one" }, body, &report)
        } catch {
            await daemon.stop()
            throw error
        }
        await daemon.stop()
        return report
    }

    private func measure(
        _ daemon: Daemon, _ session: (Int) -> String,
        _ body: (Crowd, inout Report) async throws -> Void, _ report: inout Report
    ) async throws {
        let notes = CrowdNotes()
        // The first one has the worker started, and is not counted.
        let first = CrowdFront(daemon.socket, session: session(0), notes)
        await first.attach()
        let worker = try await daemon.workerPID(of: CrowdApp.id)
        var crowd = Crowd(socket: daemon.socket, worker: worker, fronts: [first], notes: notes)
        let before = try Placement.residentKiB(of: worker)
        var attached = Report.histogram()
        let start = Placement.now()
        while crowd.fronts.count < fronts {
            let next = (crowd.fronts.count..<min(fronts, crowd.fronts.count + Self.together))
                .map { CrowdFront(daemon.socket, session: session($0), crowd.notes) }
            let tasks = next.map { front in
                Task {
                    let start = Placement.now()
                    await front.attach()
                    return Placement.now() - start
                }
            }
            for task in tasks { attached.record(await task.value) }
            crowd.fronts += next
        }
        let elapsed = Placement.now() - start
        let after = try Placement.residentKiB(of: worker)
        report.add("fronts", Double(fronts))
        report.add("attach_all_ms", Double(elapsed) / 1e6)
        report.add(attached, prefix: "attach_")
        report.add("worker_kib_each", Double(after - before) / Double(max(1, fronts - 1)))
        try await body(crowd, &report)
        report.add("worker_kib", Double(try Placement.residentKiB(of: worker)))
        for front in crowd.fronts { await front.detach() }
    }
}
