// DurableWorkload: what it costs to keep sessions, beside sessions that are not kept.

import ArgumentParser
import Glibc
import Histogram
import NapkinCore
import NapkinLedger
import NapkinTransport

/// What is measured of durable sessions, each in a report of its own.
enum DurablePart: String, CaseIterable, ExpressibleByArgument {
    case latency, throughput, journal, footprint, death, deaths, stored, stall

    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// Events, deaths and memory of durable sessions. The state is in /var/tmp: on a disk.
@MainActor
struct DurableWorkload {
    /// Events of each kind, over all rounds; a tenth for `.machine`.
    var count: Int
    var processor: Int?

    private static let rounds = 5
    private static let outstanding = 64
    private static let kills = 8
    /// Chosen: napkind restarts a worker at once unless it has died in the last 10 s.
    private static let betweenKills = Duration.milliseconds(10_500)
    private static let sessions = 1000
    private static let stored = 10_000
    private static let kept = [VolatileApp.id, ProcessApp.id, MachineApp.id]

    func reports(_ parts: [DurablePart]) async throws -> [Report] {
        var reports: [Report] = []
        for part in parts { reports.append(try await report(part)) }
        return reports
    }

    private func report(_ part: DurablePart) async throws -> Report {
        switch part {
        case .latency: try await latency()
        case .throughput: try await throughput()
        case .journal: try await journal()
        case .footprint: try await footprint()
        case .death: try await deaths(1)
        case .deaths: try await deaths(Self.sessions)
        case .stored: try await firstOfMany()
        case .stall: try await StalledStore(processor: processor).report()
        }
    }

    private func withDaemon<R>(_ body: (Daemon) async throws -> R) async throws -> R {
        let daemon = try Daemon(in: "/var/tmp")
        for app in Self.kept + [RowsApp.id] {
            try daemon.install(app, Daemon.manifest(app, OwnProgram.path ?? ""))
        }
        return try await daemon.run(body)
    }

    private func attached(_ daemon: Daemon, _ app: String) async throws -> TableFront {
        let front = TableFront(daemon.socket, app: app)
        await front.attach()
        return front
    }

    private func listener(_ front: TableFront) throws -> any TablePresentableListener {
        guard let listener = front.listener else { throw BenchError("no table is shown") }
        return listener
    }

    // MARK: - Events

    /// Events of a session that is kept, one after another.
    func steps() async throws -> Report {
        try await withDaemon { daemon in
            let front = try await attached(daemon, ProcessApp.id)
            let listener = try listener(front)
            for _ in 0..<count { _ = try await listener.change(0) }
            await front.detach()
            var report = Report(workload: "steps", processor: processor)
            report.add("durable", Double(count))
            return report
        }
    }

    /// One event outstanding, for each durability in turn, and the disk's floor.
    private func latency() async throws -> Report {
        try await withDaemon { daemon in
            var fronts: [TableFront] = []
            for app in Self.kept { fronts.append(try await attached(daemon, app)) }
            var disk = try StoreWorkload.FloorFile(path: daemon.directory + "/floor")
            defer { disk.end() }
            var floor = Report.histogram()
            var histograms = Self.kept.map { _ in Report.histogram() }
            for round in 0..<Self.rounds {
                for _ in 0..<(count / 10 / Self.rounds) { try disk.write(&floor) }
                for (index, front) in fronts.enumerated() {
                    let listener = try listener(front)
                    let events = count / Self.rounds / (Self.kept[index] == MachineApp.id ? 10 : 1)
                    for _ in 0..<(round == 0 ? events / 10 : 0) { _ = try await listener.change(0) }
                    for _ in 0..<events {
                        let start = Placement.now()
                        _ = try await listener.change(0)
                        histograms[index].record(Placement.now() - start)
                    }
                }
            }
            var report = Report(workload: "durable-latency", processor: processor)
            report.add(floor, prefix: "floor_")
            for (app, histogram) in zip(["none", "process", "machine"], histograms) {
                report.add(histogram, prefix: app + "_")
            }
            let p50 = histograms.map { Double($0.valueAtPercentile(50)) / 1000 }
            let bare = Double(floor.valueAtPercentile(50)) / 1000
            report.add("process_added_us", p50[1] - p50[0])
            report.add("machine_added_us", p50[2] - p50[0])
            report.add("machine_goal_us", 1.4 * bare + 20)
            for front in fronts { await front.detach() }
            return report
        }
    }

    /// 64 events outstanding; how many are synced together is counted in the journal.
    private func throughput() async throws -> Report {
        var report = Report(workload: "durable-throughput", processor: processor)
        report.add("outstanding", Double(Self.outstanding))
        for (name, app) in zip(["none", "process", "machine"], Self.kept) {
            let events = app == MachineApp.id ? count * 2 : count * 5
            try await withDaemon { daemon in
                let front = try await attached(daemon, app)
                let listener = try listener(front)
                try await load(listener, events / 10)
                let worker = try await daemon.workerPID(of: app)
                let used = Placement.cpuNanoseconds(of: worker)
                let start = Placement.now()
                try await load(listener, events)
                report.add("\(name)_per_s", Double(events) / Double(Placement.now() - start) * 1e9)
                let more = Placement.cpuNanoseconds(of: worker) - used
                report.add("\(name)_worker_us", Double(more) / Double(events) / 1000)
                await front.detach()
                guard app != VolatileApp.id else { return }
                await daemon.halt()
                let store = try daemon.store(of: app)
                let groups = try store.open().newest
                report.add("\(name)_events_per_group", Double(events * 11 / 10) / Double(groups))
            }
        }
        return report
    }

    private func load(_ listener: any TablePresentableListener, _ count: Int) async throws {
        let each = count / Self.outstanding
        let callers = (0..<Self.outstanding).map { _ in
            Task { for _ in 0..<each { _ = try await listener.change(0) } }
        }
        for caller in callers { try await caller.value }
    }

    /// What the journal has of an event that changes one row of 200.
    private func journal() async throws -> Report {
        try await withDaemon { daemon in
            let front = try await attached(daemon, RowsApp.id)
            let listener = try listener(front)
            for row in 0..<500 { _ = try await listener.change(row * 7) }
            await front.detach()
            await daemon.halt()
            let groups = try daemon.store(of: RowsApp.id).groups(after: 0, bytesMax: .max)
            let sizes = groups.map { Double($0.bytes.count) }
            var report = Report(workload: "durable-journal", processor: processor)
            report.add("groups", Double(sizes.count))
            report.add("group_bytes", Report.median(sizes))
            let framing = RecordFraming.headerBytes + RecordFraming.recordOverheadBytes
            report.add("record_bytes", Report.median(sizes) - Double(framing))
            return report
        }
    }

    // MARK: - Memory and deaths

    /// Many sessions with a front each, idle.
    private func footprint() async throws -> Report {
        var report = Report(workload: "durable-footprint", processor: processor)
        for (name, app) in zip(["none", "process", "machine"], Self.kept) {
            try await withDaemon { daemon in
                let fronts = try await crowd(daemon, app)
                let worker = try await daemon.workerPID(of: app)
                let resident = try Placement.ownKiB(of: worker)
                report.add("\(name)_kib_each", Double(resident) / Double(Self.sessions))
                for front in fronts { await front.detach() }
            }
        }
        return report
    }

    private func crowd(
        _ daemon: Daemon, _ app: String, _ count: Int = DurableWorkload.sessions
    ) async throws -> [TableFront] {
        let fronts = (0..<count).map { TableFront(daemon.socket, app: app, session: "s\($0)") }
        for start in stride(from: 0, to: count, by: 32) {
            let together = fronts[start..<min(start + 32, count)].map { front in
                Task { await front.attach() }
            }
            for task in together { await task.value }
        }
        return fronts
    }

    /// A worker is killed: how long until its fronts are resumed.
    private func deaths(_ sessions: Int) async throws -> Report {
        try await withDaemon { daemon in
            let fronts = try await crowd(daemon, MachineApp.id, sessions)
            for front in fronts { _ = try await listener(front).change(0) }
            var times: [Double] = []
            for _ in 0..<(sessions == 1 ? Self.kills : 2) {
                let worker = try await daemon.workerPID(of: MachineApp.id)
                let before = fronts.map(\.count)
                let start = Placement.now()
                kill(worker, SIGKILL)
                for (front, count) in zip(fronts, before) { await front.shows(count + 1) }
                times.append(Double(Placement.now() - start) / 1e6)
                try await Task.sleep(for: Self.betweenKills)
            }
            var report = Report(workload: "durable-deaths", processor: processor)
            report.add("sessions", Double(sessions))
            report.add("kills", Double(times.count))
            report.add("resumed_p50_ms", Report.median(times))
            report.add("resumed_max_ms", times.max() ?? 0)
            for front in fronts { await front.detach() }
            return report
        }
    }

    /// The first front of a worker whose journal has many sessions.
    private func firstOfMany() async throws -> Report {
        try await withDaemon { daemon in
            let front = try await attached(daemon, MachineApp.id)
            _ = try await listener(front).change(0)
            let alone = try Placement.ownKiB(of: try await daemon.workerPID(of: MachineApp.id))
            await front.detach()
            await daemon.halt()
            try multiply(try daemon.store(of: MachineApp.id))
            let start = Placement.now()
            try await daemon.start()
            let ready = Placement.now()
            let other = TableFront(daemon.socket, app: MachineApp.id, session: "s5000")
            await other.attach()
            let attached = Placement.now()
            _ = try await listener(other).change(0)
            var report = Report(workload: "durable-stored", processor: processor)
            report.add("sessions", Double(Self.stored))
            report.add("napkind_ready_ms", Double(ready - start) / 1e6)
            report.add("first_attach_ms", Double(attached - ready) / 1e6)
            let all = try Placement.ownKiB(of: try await daemon.workerPID(of: MachineApp.id))
            report.add("stored_kib_each", Double(all - alone) / Double(Self.stored))
            await other.detach()
            return report
        }
    }

    /// Stores the one session of a journal under many names.
    private func multiply(_ store: SQLiteStore) throws {
        guard let first = try store.sessions().first,
            let stored = try store.image(of: first.session)
        else { throw BenchError("nothing is stored") }
        var image = try SessionImage(decoding: stored.bytes)
        let newest = try store.open().newest
        for start in stride(from: 1, through: Self.stored, by: 100) {
            var commit = JournalCommit()
            for number in start..<(start + 100) {
                image.session = first.session + UInt64(number)
                (image.title.name, image.title.id) = ("s\(number)", "s\(number)")
                commit.images.append(
                    StoredImage(
                        session: image.session, name: image.title.name, base: newest,
                        bytes: try image.encoded()))
            }
            try store.commit(commit)
        }
    }
}
