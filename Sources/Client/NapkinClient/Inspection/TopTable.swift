// TopTable: the cost of crossings between two samples, as rows, as text and as JSON.

import NapkinProtocol
import NapkinTerminal

struct TopTable: Equatable {
    /// One method. Times are means of the interval's calls, in microseconds.
    struct Row: Codable, Equatable, Identifiable {
        var feature: String
        var method: String
        var delivery: String
        var calls: UInt64
        var failures: UInt64
        var callsPerSecond: Double
        /// The median of the whole call, as fronts report it, otherwise as the worker sees it.
        var p50: Double?
        var p99: Double?
        /// `front` or `worker`: which side has measured the two.
        var seenBy: String?
        var frontQueue: Double?
        var wire: Double?
        var workerQueue: Double?
        var handler: Double?
        var reply: Double?
        /// The durations of the calls, as `seenBy` has measured them; not part of the JSON.
        var durations = Histogram()

        enum CodingKeys: CodingKey {
            case feature, method, delivery, calls, failures, callsPerSecond, p50, p99, seenBy
            case frontQueue, wire, workerQueue, handler, reply
        }

        var id: String { "\(feature) \(method) \(delivery)" }
    }

    var seconds: Double
    var rows: [Row]
    var omitted: Int

    /// Computes the calls between one sample and the next, at the same workers.
    init(from old: [Subject: Figures], to new: [Subject: Figures]) {
        var table: [Row] = []
        var longest = 0.0
        omitted = 0
        for (subject, now) in new {
            let before = old[subject]
            // A worker that was restarted starts counting from zero.
            let isSame = before.map { $0.nanoseconds <= now.nanoseconds } ?? false
            let elapsed = Double(now.nanoseconds - (isSame ? before?.nanoseconds ?? 0 : 0)) / 1e9
            guard isSame, elapsed > 0 else { continue }
            longest = max(longest, elapsed)
            omitted += now.omitted
            for row in now.crossings {
                let known = before?.crossings.first {
                    $0.feature == row.feature && $0.method == row.method
                        && $0.delivery == row.delivery
                }
                if let made = Row(row, since: known, seconds: elapsed) { table.append(made) }
            }
        }
        seconds = longest
        rows = table.sorted {
            ($1.callsPerSecond, $0.feature, $0.method) < ($0.callsPerSecond, $1.feature, $1.method)
        }
    }
}

extension TopTable.Row {
    /// Returns `nil` if nothing was called.
    init?(_ now: CrossingFigures, since before: CrossingFigures?, seconds: Double) {
        let restarted = (before?.calls ?? 0) > now.calls
        let old = restarted ? nil : before
        let calls = now.calls - (old?.calls ?? 0)
        guard calls > 0 else { return nil }
        feature = now.feature
        method = now.method
        delivery = now.delivery
        self.calls = calls
        failures = now.failures - min(now.failures, old?.failures ?? 0)
        callsPerSecond = Double(calls) / seconds
        let durations = now.durations.since(old?.durations ?? Histogram())
        let isTimed = durations.count > 0
        let mean = { (new: UInt64, old: UInt64?) -> Double in
            Double(new - min(new, old ?? 0)) / Double(calls) / 1000
        }
        if isTimed { handler = mean(now.handler, old?.handler) }
        if isTimed, now.delivery == "event" {
            workerQueue = mean(now.queue, old?.queue)
            reply = mean(now.reply, old?.reply)
        }
        setPercentiles(durations, by: "worker")
        if let fronts = now.fronts { setFront(fronts, since: old?.fronts) }
    }

    private mutating func setFront(_ now: FrontFigures, since before: FrontFigures?) {
        let old = (before?.calls ?? 0) > now.calls ? nil : before
        let calls = now.calls - (old?.calls ?? 0)
        guard calls > 0 else { return }
        let mean = { (new: UInt64, old: UInt64?) -> Double in
            Double(new - min(new, old ?? 0)) / Double(calls) / 1000
        }
        frontQueue = mean(now.queue, old?.queue)
        let here = (workerQueue ?? 0) + (handler ?? 0) + (reply ?? 0)
        wire = max(0, mean(now.trip, old?.trip) - here)
        setPercentiles(now.durations.since(old?.durations ?? Histogram()), by: "front")
    }

    private mutating func setPercentiles(_ durations: Histogram, by who: String) {
        guard let half = durations.percentile(0.5), let most = durations.percentile(0.99) else {
            return
        }
        p50 = Double(half) / 1000
        p99 = Double(most) / 1000
        seenBy = who
        self.durations = durations
    }
}

extension TopTable {
    /// The meaning of the columns, for people.
    static let legend = [
        "Times in µs. P50, P99: the whole call, as its front sees it (*: as the worker sees it).",
        "Means: FRONT waiting in the front · QUEUE in the worker, from reading to the handler · "
            + "HANDLER",
        "· REPLY until it is about to be written · WIRE all the rest: writes, wake-ups, reading.",
    ]

    /// Headings that a narrow terminal leaves out in turn, the least important first.
    private static let lessWanted = ["CLASS", "FAILED", "FEATURE", "REPLY", "QUEUE", "FRONT"]
    /// The least useful width of a method's name, in cells. Chosen: `didTapPitBoard()`.
    private static let methodCells = 16

    /// Returns the table with its legend below, in as few columns as fit beside one another.
    func lines(columns: Int) -> [String] {
        let nothing = rows.isEmpty ? ["Nothing has crossed."] : []
        let more = omitted > 0 ? ["\(omitted) more crossings were not measured."] : []
        return table(columns) + nothing + more + [""] + Self.legend
    }

    private func table(_ columns: Int) -> [String] {
        var headings = Self.cells.map(\.heading)
        var left = Self.lessWanted
        while true {
            let table = table(of: headings)
            let excess = (table.lines.map { CellWidth.cells(of: $0) }.max() ?? 0) - columns
            if excess <= 0 { return table.lines }
            let longest = rows.map { CellWidth.cells(of: $0.method) }.max() ?? 0
            // Names are shortened before figures are left out, but not beyond recognition.
            if !headings.contains("FEATURE"), longest - excess >= Self.methodCells {
                return self.table(of: headings, methodCells: longest - excess).lines
            }
            guard !left.isEmpty else {
                return self.table(of: headings, methodCells: max(8, longest - excess)).lines
            }
            let next = left.removeFirst()
            headings.removeAll { $0 == next }
        }
    }

    private func table(of headings: [String], methodCells: Int = .max) -> TextTable {
        let cells = Self.cells.filter { headings.contains($0.heading) }
        var table = TextTable(cells.map(\.heading))
        for row in rows {
            var row = row
            if CellWidth.cells(of: row.method) > methodCells {
                row.method = CellWidth.prefix(of: row.method, width: methodCells - 1).text + "…"
            }
            table.add(cells.map { $0.text(row) })
        }
        return table
    }

    /// The columns' headings; those that a narrow terminal leaves out are optional.
    static var headings: [(text: String, isOptional: Bool)] {
        cells.map { ($0.heading, lessWanted.contains($0.heading)) }
    }

    static func texts(of row: Row) -> [String] { cells.map { $0.text(row) } }

    private static let cells: [(heading: String, text: @Sendable (Row) -> String)] = [
        ("FEATURE", { $0.feature }), ("METHOD", { $0.method }), ("CLASS", { $0.delivery }),
        ("CALLS/S", { text($0.callsPerSecond) }), ("FAILED", { "\($0.failures)" }),
        ("P50", { text($0.p50) + $0.star }), ("P99", { text($0.p99) + $0.star }),
        ("FRONT", { text($0.frontQueue) }), ("WIRE", { text($0.wire) }),
        ("QUEUE", { text($0.workerQueue) }), ("HANDLER", { text($0.handler) }),
        ("REPLY", { text($0.reply) }),
    ]

    /// Returns three digits or more: `0.4`, `12.3`, `1234`.
    static func text(_ number: Double?) -> String {
        guard let number else { return "-" }
        if number >= 100 { return "\(Int(min(number, 1e15).rounded()))" }
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension TopTable.Row {
    /// Marks figures that only the worker has measured.
    fileprivate var star: String { seenBy == "worker" && delivery == "event" ? "*" : "" }
}
