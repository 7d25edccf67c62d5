// CrossingTotals: the calls of each method since counting began, across the ends of workers.
//
// Ownership  at most `rowsMax` methods, and the newest figures of each worker.
// Invariant  no total decreases.

import NapkinProtocol

struct CrossingTotals {
    /// Methods of all apps. Chosen: several apps with as many methods as a worker measures.
    static let rowsMax = 8 * Limits.crossingsMax

    private struct Key: Hashable, Comparable {
        var app: String
        var feature: String
        var method: String
        var delivery: String

        static func < (one: Key, other: Key) -> Bool {
            (one.app, one.feature, one.method, one.delivery)
                < (other.app, other.feature, other.method, other.delivery)
        }
    }

    private struct Row {
        var calls: UInt64 = 0
        var failures: UInt64 = 0
        var worker = Durations()
        var fronts = Durations()

        init() {}

        init(_ figures: CrossingFigures) {
            calls = figures.calls
            failures = figures.failures
            worker = Durations(
                figures.durations, nanoseconds: figures.queue &+ figures.handler &+ figures.reply)
            worker.recorded = figures.recorded
            guard let seen = figures.fronts else { return }
            fronts = Durations(seen.durations, nanoseconds: seen.queue &+ seen.trip)
        }

        mutating func add(from old: Row, to new: Row) {
            calls &+= new.calls.excess(over: old.calls)
            failures &+= new.failures.excess(over: old.failures)
            worker.add(from: old.worker, to: new.worker)
            fronts.add(from: old.fronts, to: new.fronts)
        }
    }

    private var rows: [Key: Row] = [:]
    /// By the worker's name.
    private var newest: [String: [Key: Row]] = [:]
    private var omitted: [String: Int] = [:]
    private var isFull = false

    /// Adds a worker's counts since its former figures.
    mutating func add(_ figures: Figures, of worker: String, in app: String) {
        let former = newest[worker] ?? [:]
        var known: [Key: Row] = [:]
        for crossing in figures.crossings {
            let key = Key(
                app: app, feature: crossing.feature, method: crossing.method,
                delivery: crossing.delivery)
            let row = Row(crossing)
            known[key] = row
            guard rows[key] != nil || rows.count < Self.rowsMax else {
                isFull = true
                continue
            }
            rows[key, default: Row()].add(from: former[key] ?? Row(), to: row)
        }
        newest[worker] = known
        omitted[worker] = figures.omitted
    }

    /// Forgets the newest figures of workers that no longer exist.
    mutating func keep(_ workers: Set<String>) {
        newest = newest.filter { workers.contains($0.key) }
        omitted = omitted.filter { workers.contains($0.key) }
    }

    /// - Parameter start: when counting began, in nanoseconds since 1970.
    func metrics(since start: UInt64) -> [Metric] {
        var calls = Metric(
            name: "napkin.crossing.calls", unit: "{call}",
            text: "Calls that have ended, and states, effects and log items that were presented.",
            kind: .counter, start: start)
        var failures = Metric(
            name: "napkin.crossing.failures", unit: "{call}",
            text: "Calls that have ended in a fault.", kind: .counter, start: start)
        var worker = Metric(
            name: "napkin.crossing.duration", unit: "s",
            text: "Events from their arrival in the worker to their reply, and asks to their "
                + "first answer.", kind: .durations, start: start)
        var fronts = Metric(
            name: "napkin.front.call.duration", unit: "s",
            text: "Events from their call in a front to the reading of their answer.",
            kind: .durations, start: start)
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            let labels = [
                ("app", key.app), ("feature", key.feature), ("method", key.method),
                ("delivery", key.delivery),
            ].map { Metric.Label(name: "napkin.\($0.0)", value: $0.1) }
            func add(_ value: Metric.Value, to metric: inout Metric) {
                metric.points.append(Metric.Point(labels: labels, value: value))
            }
            add(.number(row.calls), to: &calls)
            add(.number(row.failures), to: &failures)
            if row.worker.count > 0 { add(.durations(row.worker), to: &worker) }
            if row.fronts.count > 0 { add(.durations(row.fronts), to: &fronts) }
        }
        var left = Metric(
            name: "napkin.crossing.omitted", unit: "{crossing}",
            text: "Methods that are not measured, because there are too many.")
        left.add(omitted.values.reduce(isFull ? 1 : 0, &+), [:])
        return [calls, failures, worker, fronts, left]
    }
}
