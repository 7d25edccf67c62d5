// CrowdWorkloads: many fronts on one session, and many sessions with one front each.
//
// Layer      benchmark.
// Isolation  @MainActor: the loop thread.

import Histogram
import NapkinCore

@MainActor
struct CrowdWorkloads {
    let fronts: Int
    let processor: Int?

    /// Attachments that are under way at once. Chosen: less than the backlog of a socket.
    private static let together = 64
    /// Pushes whose latency is measured. Chosen: a delivery to each front, some hundred times.
    private static let pushes = 300

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
        }
    }

    private struct Crowd {
        var fronts: [CrowdFront] = []
        let notes = CrowdNotes()
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
        var crowd = Crowd()
        // The first one has the worker started, and is not counted.
        let first = CrowdFront(daemon.socket, session: session(0), crowd.notes)
        await first.attach()
        crowd.fronts.append(first)
        let worker = try await daemon.workerPID(of: CrowdApp.id)
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
