// CrowdWorkloads: many fronts on one session, many sessions with one front each, and streams.

import ArgumentParser
import CFloor
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
    /// Bytes of a pushed state's frame: 28 of header, 158 of payload.
    private static let frameBytes = 186
    /// Effects of one event of `steps`.
    private static let stepsTogether = 100

    /// What `steps` repeats.
    enum Step: String, CaseIterable, ExpressibleByArgument {
        case attach, durable, effect, event
    }

    /// All fronts on one session.
    func fanout() async throws -> Report {
        try await crowded("fanout", ownSessions: false) { crowd, report in
            let notes = crowd.notes
            var latencies = Report.histogram()
            var elapsed: UInt64 = 0
            let listener = try crowd.listener
            let worker = Placement.cpuNanoseconds(of: crowd.worker)
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
            let deliveries = Double(fronts * Self.pushes)
            let work = Double(Placement.cpuNanoseconds(of: crowd.worker) - worker)
            let floor = try WriteFloor.measure(
                sockets: fronts, bytes: Self.frameBytes, rounds: Self.pushes)
            report.add("deliveries_per_s", deliveries / Double(elapsed) * 1e9)
            report.add("worker_cpu_us_per_delivery", work / deliveries / 1000)
            report.add("floor_deliveries_per_s", 1e9 / floor.delivery_ns)
            report.add("floor_write_us", floor.write_ns / 1000)
            report.add("ratio_write", work / deliveries / floor.write_ns)
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

    /// One after another, for `scripts/ratchet.py`, which counts instructions, and `ways.py`.
    func steps(_ step: Step, _ count: Int) async throws -> Report {
        if step == .durable {
            return try await DurableWorkload(count: count, processor: processor).steps()
        }
        return try await crowded("steps", ownSessions: false) { crowd, report in
            switch step {
            case .attach:
                for _ in 0..<count {
                    let front = CrowdFront(crowd.socket, session: "one", crowd.notes)
                    await front.attach()
                    await front.detach()
                }
            case .effect:
                for _ in 0..<count / Self.stepsTogether {
                    crowd.notes.expect(Self.stepsTogether)
                    _ = try await crowd.fronts.first?.listener?.burst(Self.stepsTogether)
                    await crowd.notes.complete()
                }
            case .durable: break  // It has been returned.
            case .event:
                let listener = try crowd.listener
                for _ in 0..<count { _ = try await listener.ping() }
            }
            report.add(step.rawValue, Double(count))
        }
    }

    /// Texts of 64 bytes to 8 MiB, sent and returned.
    func payloads(_ count: Int) async throws -> [Report] {
        var reports: [Report] = []
        for exponent in [6, 9, 12, 15, 18, 21, 23] {
            let report = try await crowded("payloads", ownSessions: false) { crowd, report in
                let listener = try crowd.listener
                let text = String(repeating: "a", count: 1 << exponent)
                // A second of each, about.
                let count = max(20, min(count, (1 << 29) >> exponent))
                var latencies = Report.histogram()
                for number in 0..<(count + count / 5) {
                    let start = Placement.now()
                    let answer = try await listener.echo(text)
                    // A fifth to warm up.
                    if number >= count / 5 { latencies.record(Placement.now() - start) }
                    guard answer.utf8.count == text.utf8.count else {
                        throw BenchError("\(answer.utf8.count) bytes came back")
                    }
                }
                report.add("payload_bytes", Double(text.utf8.count))
                report.add(latencies)
            }
            reports.append(report)
        }
        return reports
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
        let listener = try crowd.listener
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

        /// The listener of the first front.
        var listener: any CrowdPresentableListener {
            get throws {
                guard let listener = fronts.first?.listener else {
                    throw BenchError("no front shows the session")
                }
                return listener
            }
        }

        /// Has the first front send so many events, some of them at a time, so that worker and
        /// fronts are never idle. Returns what they returned.
        func bursts<R: Sendable>(
            _ count: Int,
            _ send: @escaping @MainActor (any CrowdPresentableListener) async throws -> R
        ) async throws -> [R] {
            let listener = try listener
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
        try await Daemon().run { daemon in
            var report = Report(workload: workload, processor: processor)
            try await measure(daemon, { ownSessions ? "s\($0)" : "one" }, body, &report)
            return report
        }
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
        let others = (1..<max(1, fronts)).map {
            CrowdFront(daemon.socket, session: session($0), notes)
        }
        let lanes = (0..<Self.together).map { lane in
            Task {
                var times: [UInt64] = []
                for number in stride(from: lane, to: others.count, by: Self.together) {
                    let start = Placement.now()
                    await others[number].attach()
                    times.append(Placement.now() - start)
                }
                return times
            }
        }
        for lane in lanes { for time in await lane.value { attached.record(time) } }
        crowd.fronts += others
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
