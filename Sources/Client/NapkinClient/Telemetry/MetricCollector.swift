// MetricCollector: asks napkind and its workers for their counts, while somebody reads these.
//
// Ownership  owns a connection to napkind, and opens another one when that has ended.
// Invariant  a worker is asked one question at a time; nobody waits for a worker's answer.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinFront
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

@MainActor
final class MetricCollector {
    /// How long workers measure after the last reader. Chosen: twice a scraper's minute.
    private static let interest = Duration.seconds(120)
    /// The longest wait for napkind itself, which answers from its memory. Chosen: less than a
    /// page's server gives a request.
    private static let patience = Duration.seconds(2)
    /// Workers that are asked at the same time. Chosen: as `WorkerAnswers` asks.
    private static let askedMax = Limits.requestsMax / 2
    /// The states of apps some of whose workers may run.
    private static let running: Set<AppInfo.State> = [.running, .restarting, .degraded]
    /// Sessions of a worker whose fronts are counted. Chosen: a listing that takes a few ms.
    static let sessionsMax = 2000

    private let daemon: DaemonOptions
    private let start = MeasuringClock.wallNanoseconds
    private var connection: DaemonConnection?
    private var isConnecting = false
    private var totals = CrossingTotals()
    /// The workers' sessions in memory, by worker.
    private var sessions: [String: [SessionInfo]] = [:]
    private var asked: Set<String> = []
    /// The apps at the last refresh, while the workers measure.
    private var apps: [AppInfo] = []
    /// The time at which the workers are no longer asked.
    private var end = ContinuousClock.now
    private var isMeasuring = false

    init(_ daemon: DaemonOptions) { self.daemon = daemon }

    /// The sessions in memory, with their apps.
    var running: [SessionInfo] {
        sessions.sorted { $0.key < $1.key }.flatMap(\.value).filter { $0.isStored != true }
    }

    /// Returns a connection to napkind; `nil` while none runs.
    func connected() async -> DaemonConnection? {
        if let connection { return connection }
        guard !isConnecting else { return nil }
        isConnecting = true
        defer { isConnecting = false }
        do {
            connection = try await DaemonConnection.connect(
                to: daemon.address(spawns: false), client: MainCommand.name, role: .tool)
        } catch {
            // The metrics report that napkind does not run.
        }
        return connection
    }

    /// Returns the metrics known now, and keeps the workers measuring for a while.
    func metrics() async -> [Metric] {
        end = ContinuousClock.now + Self.interest
        if !isMeasuring {
            isMeasuring = true
            await refreshApps()
            Task { await measure() }
        }
        let status: DaemonStatus? = await answer(to: .status)
        return Self.metrics(of: status) + metrics(of: status == nil ? [] : apps, status)
            + totals.metrics(since: start)
    }

    private func answer<T: Decodable>(to query: Query) async -> T? {
        guard let connection = await connected() else { return nil }
        do throws(FrontError) {
            let answer: T = try await connection.query(query, within: Self.patience)
            return answer
        } catch {
            if error.refusal == nil { drop(connection) }
            return nil
        }
    }

    private func drop(_ ended: DaemonConnection) {
        ended.close()
        if connection === ended { connection = nil }
    }

    // MARK: - Workers

    /// Asks the workers again and again while somebody reads.
    private func measure() async {
        while ContinuousClock.now < end {
            let workers = apps.filter { Self.running.contains($0.state) }.flatMap { app in
                app.workerNames.map { (worker: $0, app: app.app, sessions: app.sessions) }
            }
            totals.keep(Set(workers.map(\.worker)))
            sessions = sessions.filter { known in workers.contains { $0.worker == known.key } }
            for (worker, app, count) in workers { ask(worker, of: app, sessions: count) }
            await LoopTimer.wait(.milliseconds(Top.keepAlive * 1000))
            await refreshApps()
        }
        isMeasuring = false
    }

    private func refreshApps() async { apps = await answer(to: .apps) ?? [] }

    private func ask(_ worker: String, of app: String, sessions count: Int) {
        guard let connection, asked.count < Self.askedMax, asked.insert(worker).inserted else {
            return
        }
        Task {
            defer { asked.remove(worker) }
            do throws(FrontError) {
                let figures: Figures = try await connection.query(.top(app: worker, session: nil))
                totals.add(figures, of: worker, in: app)
                guard count <= Self.sessionsMax else {
                    sessions[worker] = nil
                    return
                }
                let listed: [SessionInfo] = try await connection.query(.sessions(app: worker))
                sessions[worker] = listed
            } catch {
                // A worker's silence says nothing about napkind.
                if error.refusal == nil, error.code != .silent { drop(connection) }
            }
        }
    }

    // MARK: - Metrics

    private static func metrics(of status: DaemonStatus?) -> [Metric] {
        let facts: [(name: String, unit: String, text: String, value: Int?)] = [
            ("up", "1", "Whether napkind answers.", status == nil ? 0 : 1),
            ("uptime", "s", "The age of napkind's process.", status?.seconds),
            ("memory.usage", "By", "Resident memory of napkind's process.", status?.bytes),
        ]
        return facts.map { fact in
            var metric = Metric(
                name: "napkin.daemon.\(fact.name)", unit: fact.unit, text: fact.text)
            metric.add(fact.value, [:])
            return metric
        }
    }

    private func metrics(of apps: [AppInfo], _ status: DaemonStatus?) -> [Metric] {
        var state = Metric(
            name: "napkin.app.state", unit: "1",
            text: "1 for the state that an app is in, and 0 for the others.")
        var held = Metric(
            name: "napkin.app.sessions", unit: "{session}", text: "Sessions in memory.")
        var crashes = Metric(
            name: "napkin.app.crashes", unit: "{crash}",
            text: "Deaths of workers that nobody asked for, since napkind was started.",
            kind: .counter,
            start: MeasuringClock.wallNanoseconds
                .excess(over: UInt64(clamping: status?.seconds ?? 0) &* 1_000_000_000))
        var fronts = Metric(
            name: "napkin.app.fronts", unit: "{front}",
            text: "Attached fronts, and those that have lost their connection and may return.")
        var memory = Metric(
            name: "napkin.worker.memory.usage", unit: "By",
            text: "Resident memory of a worker's process.")
        var uptime = Metric(
            name: "napkin.worker.uptime", unit: "s", text: "The age of a worker's process.")
        for app in apps {
            for one in AppInfo.State.allCases {
                state.add(
                    one == app.state ? 1 : 0,
                    ["napkin.app": app.app, "napkin.app.state": one.rawValue])
            }
            guard app.state != .broken else { continue }
            held.add(app.sessions, ["napkin.app": app.app])
            crashes.add(app.crashes, ["napkin.app": app.app])
            for worker in app.measured {
                let labels: KeyValuePairs = [
                    "napkin.app": app.app, "napkin.worker": worker.worker,
                ]
                memory.add(worker.bytes, labels)
                uptime.add(worker.seconds, labels)
            }
            let known = app.workerNames.compactMap { sessions[$0] }.flatMap(\.self)
            guard !known.isEmpty || app.sessions == 0 else { continue }
            for (word, members) in [("attached", \SessionInfo.fronts), ("away", \.away)] {
                fronts.add(
                    known.reduce(0) { $0 + $1[keyPath: members].count },
                    ["napkin.app": app.app, "napkin.front.state": word])
            }
        }
        return [state, held, crashes, fronts, memory, uptime]
    }
}

extension AppInfo {
    fileprivate var measured: [(worker: String, seconds: Int?, bytes: Int?)] {
        guard let workers else { return [(app, seconds, bytes)] }
        return workers.map { ($0.worker, $0.seconds, $0.bytes) }
    }
}
