// CallsPage: each method's calls, their durations and where the time goes.

import NapkinElements
import NapkinProtocol
import NapkinTransport

/// The table of methods, with the details of the selected one below it.
struct CallsPage: View {
    let model: Dashboard
    @State private var sort: TableSort?

    var body: some View {
        VStack {
            if let calls = model.calls, !calls.rows.isEmpty {
                table(of: sorted(calls.rows))
                Text("Times in µs.").foregroundStyle(.secondary)
            } else {
                Text(model.calls == nil ? "Measuring…" : "Nothing crosses.")
            }
            if !model.uncalled.isEmpty {
                Text("\(SessionInfo.silent): \(model.uncalled.joined(separator: ", "))")
                    .foregroundStyle(.warning)
            }
            if let row = closest { CrossingDetail(row: row).padding(.top) }
        }
        .task(id: model.subjects) { await model.watchCalls(of: model.subjects) }
    }

    private func table(of rows: [TopTable.Row]) -> some View {
        Table(
            TopTable.headings.map {
                TableColumn(
                    $0.text, Self.names.contains($0.text) ? .leading : .trailing,
                    isOptional: $0.isOptional)
            }, rows: rows.map(TopTable.texts),
            selection: Binding(of: rows, model, \.crossing), sortOrder: $sort
        )
        .id("calls")
    }

    private static let names = ["FEATURE", "METHOD", "CLASS"]

    /// The selected method, or else the busiest one that takes time.
    private var closest: TopTable.Row? {
        let rows = model.allCalls?.rows ?? []
        guard let crossing = model.crossing else { return rows.first { $0.durations.count > 0 } }
        return rows.first { $0.id == crossing }
    }

    /// Puts the busiest method first, unless a person has chosen another order.
    private func sorted(_ rows: [TopTable.Row]) -> [TopTable.Row] {
        guard let sort else { return rows }
        func isBefore(_ first: String, _ second: String) -> Bool {
            let numbers = (Double(first.filter { $0 != "*" }), Double(second.filter { $0 != "*" }))
            guard let one = numbers.0, let other = numbers.1 else { return first < second }
            return one < other
        }
        let inOrder = rows.map { ($0, TopTable.texts(of: $0)[sort.column]) }
            .sorted { isBefore($0.1, $1.1) }.map(\.0)
        return sort.order == .forward ? inOrder : inOrder.reversed()
    }
}

/// The calls of one method since the page was opened.
struct CrossingDetail: View {
    let row: TopTable.Row

    var body: some View {
        VStack {
            Text("\(row.method) of \(row.feature): \(calls)")
            if row.durations.count > 0 {
                Text("How long its calls took, in µs, as the \(row.seenBy ?? "worker") sees it")
                    .foregroundStyle(.secondary)
                BarChart(bars: latencies, name: "latency")
                Text("Where the time of a call goes, in µs: means").foregroundStyle(.secondary)
                BarChart(bars: parts, name: "time")
            } else {
                Text("Nobody waits for an answer: it has no times.").foregroundStyle(.secondary)
            }
        }
    }

    private var calls: String {
        let failures = row.failures > 0 ? ", \(row.failures) failed" : ""
        return row.calls.counted("call") + failures + " since this page was opened"
    }

    /// One bar for each power of two, without gaps; the histogram's buckets are eighths of them.
    private var latencies: [BarChart.Bar] {
        var counts: [Int: UInt64] = [:]
        let buckets = row.durations.buckets
        for index in stride(from: 0, to: buckets.count - 1, by: 2) {
            let middle = Histogram.middle(of: Int(clamping: buckets[index]))
            counts[Self.power(of: middle), default: 0] += buckets[index + 1]
        }
        guard let low = counts.keys.min(), let high = counts.keys.max() else { return [] }
        return (low...high).map { power in
            let ends = [power, power + 1].map { TopTable.text(Double(UInt64(1) << $0) / 1000) }
            let count = counts[power] ?? 0
            return BarChart.Bar(
                label: ends.joined(separator: "–"), value: Double(count), text: "\(count)")
        }
    }

    private static func power(of nanoseconds: UInt64) -> Int {
        63 - max(1, nanoseconds).leadingZeroBitCount
    }

    private var parts: [BarChart.Bar] {
        let parts = [
            ("front", row.frontQueue), ("wire", row.wire), ("queue", row.workerQueue),
            ("handler", row.handler), ("reply", row.reply),
        ]
        return parts.compactMap { name, time in
            time.map { BarChart.Bar(label: name, value: $0, text: TopTable.text($0)) }
        }
    }
}

/// Bars beside their names; the longest fills the available room.
struct BarChart: View {
    struct Bar: Equatable {
        let label: String
        let value: Double
        let text: String
    }

    /// Cells of the longest bar. Chosen: an eighth of a cell is then less than a percent.
    private static let cellsMax = 40
    private static let eighths = Array(" ▏▎▍▌▋▊▉")

    let bars: [Bar]
    let name: String

    var body: some View {
        Lines { width, height in
            Self.lines(of: bars, width: width).prefix(height).map { StyledLine($0) }
        }
        .accessibilityLabel(
            "\(name): " + bars.map { "\($0.label) \($0.text)" }.joined(separator: ", "))
    }

    static func lines(of bars: [Bar], width: Int) -> [String] {
        let label = bars.map(\.label.count).max() ?? 0
        let text = bars.map(\.text.count).max() ?? 0
        let room = min(cellsMax, width - label - text - 2)
        let most = bars.map(\.value).max() ?? 0
        return bars.map { bar in
            let space = String(repeating: " ", count: label - bar.label.count)
            return "\(space)\(bar.label) \(drawn(bar.value, of: most, room)) \(bar.text)"
        }
    }

    /// Draws at least an eighth of a cell for any value above zero.
    private static func drawn(_ value: Double, of most: Double, _ room: Int) -> String {
        guard value > 0, most > 0, room > 0 else { return "" }
        let parts = max(1, Int((value / most * Double(room * 8)).rounded()))
        let rest = parts % 8 > 0 ? String(eighths[parts % 8]) : ""
        return String(repeating: "█", count: parts / 8) + rest
    }
}
