// MetricTextTests: metrics in both formats that Prometheus reads, and what adds them up.

import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct MetricTextTests {
    private static func figures(
        calls: UInt64, of times: [UInt64], record: UInt64? = nil
    ) -> Figures {
        var row = CrossingFigures(feature: "shop.cart", method: "add(_:)", delivery: "event")
        row.calls = calls
        for time in times {
            row.handler += time
            row.durations.add(time)
        }
        row.recorded = record.map {
            RecordedCall(session: "lunch", record: $0, nanoseconds: times.last ?? 0)
        }
        return Figures(nanoseconds: 0, crossings: [row], omitted: 0)
    }

    private static var metrics: [Metric] {
        var totals = CrossingTotals()
        totals.add(figures(calls: 2, of: [1000, 3_000_000], record: 7), of: "shop", in: "shop")
        var memory = Metric(
            name: "napkin.worker.memory.usage", unit: "By", text: "Resident\nmemory.", kind: .gauge)
        memory.add(4096, ["napkin.app": "a\"b\\c\n"])
        return [memory] + totals.metrics(since: 1)
    }

    private static let labels =
        #"napkin_app="shop",napkin_feature="shop.cart",napkin_method="add(_:)","#
        + #"napkin_delivery="event""#

    @Test func `the older format has endings, buckets and escapes`() {
        let lines = MetricText(Self.metrics, isOpen: false).text.split(separator: "\n")
        for line in [
            "# HELP napkin_worker_memory_usage_bytes Resident\\nmemory.",
            "# TYPE napkin_worker_memory_usage_bytes gauge",
            #"napkin_worker_memory_usage_bytes{napkin_app="a\"b\\c\n"} 4096"#,
            "# TYPE napkin_crossing_calls_total counter",
            "napkin_crossing_calls_total{\(Self.labels)} 2",
            "# TYPE napkin_crossing_duration_seconds histogram",
            #"napkin_crossing_duration_seconds_bucket{\#(Self.labels),le="1.024e-06"} 1"#,
            #"napkin_crossing_duration_seconds_bucket{\#(Self.labels),le="0.001048576"} 1"#,
            #"napkin_crossing_duration_seconds_bucket{\#(Self.labels),le="0.004194304"} 2"#,
            #"napkin_crossing_duration_seconds_bucket{\#(Self.labels),le="+Inf"} 2"#,
            "napkin_crossing_duration_seconds_sum{\(Self.labels)} 0.003001",
            "napkin_crossing_duration_seconds_count{\(Self.labels)} 2",
            "napkin_crossing_omitted 0",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        #expect(!lines.contains { $0.contains("EOF") || $0.contains("UNIT") || $0.contains(" # ") })
    }

    @Test func `OpenMetrics has units, an end, and a record's number as an exemplar`() {
        let text = MetricText(Self.metrics, isOpen: true).text
        let lines = text.split(separator: "\n")
        for line in [
            "# TYPE napkin_crossing_calls counter",
            "napkin_crossing_calls_total{\(Self.labels)} 2",
            "# UNIT napkin_crossing_duration_seconds seconds",
            #"napkin_crossing_duration_seconds_bucket{\#(Self.labels),le="0.004194304"} 2"#
                + ##" # {napkin_record="7",napkin_session="lunch"} 0.003"##,
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        #expect(text.hasSuffix("\n# EOF\n"))
        #expect(lines.count { $0.contains(" # {") } == 1)
    }

    @Test func `a long name of a session is left out of an exemplar`() {
        var durations = Durations()
        durations.counts[0] = 1
        durations.recorded = RecordedCall(
            session: String(repeating: "s", count: 128), record: 7, nanoseconds: 1)
        let metric = Metric(
            name: "d", unit: "s", text: "", kind: .durations,
            points: [.init(labels: [], value: .durations(durations))])
        let text = MetricText([metric], isOpen: true).text
        #expect(text.contains(##" # {napkin_record="7"} 1e-09"##))
    }

    @Test func `totals go on after the end of a session or a worker, and never fall`() {
        var totals = CrossingTotals()
        func calls() -> Metric.Value? { totals.metrics(since: 0)[0].points.first?.value }
        totals.add(Self.figures(calls: 5, of: [1]), of: "shop", in: "shop")
        totals.add(Self.figures(calls: 9, of: [1, 1]), of: "shop", in: "shop")
        #expect(calls() == .number(9))
        // Whoever counted has ended, and begins anew.
        totals.add(Self.figures(calls: 2, of: [1]), of: "shop", in: "shop")
        #expect(calls() == .number(9))
        totals.add(Self.figures(calls: 4, of: [1]), of: "shop", in: "shop")
        #expect(calls() == .number(11))
        // Another worker of the same app.
        totals.add(Self.figures(calls: 3, of: [1]), of: "shop~1", in: "shop")
        #expect(calls() == .number(14))
        totals.keep(["shop~1"])
        totals.add(Self.figures(calls: 1, of: [1]), of: "shop", in: "shop")
        #expect(calls() == .number(15))
    }

    @Test func `methods beyond the limit are counted as omitted`() {
        var totals = CrossingTotals()
        for index in 0...CrossingTotals.rowsMax {
            let row = CrossingFigures(feature: "f\(index)", method: "m()", delivery: "state")
            totals.add(
                Figures(nanoseconds: 0, crossings: [row], omitted: 0), of: "w", in: "a")
        }
        let metrics = totals.metrics(since: 0)
        #expect(metrics[0].points.count == CrossingTotals.rowsMax)
        #expect(metrics.last?.points.first?.value == .number(1))
    }
}
