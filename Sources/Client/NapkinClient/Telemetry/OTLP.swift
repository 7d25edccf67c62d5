// OTLP: metrics and spans in JSON, as an OpenTelemetry collector accepts them.
//
// Spec       OTLP 1.5, "JSON Protobuf Encoding": 64-bit integers are strings of digits, ids are
//            hexadecimal, enumerations are numbers, and empty fields are left out.

import NapkinProtocol

enum OTLP {
    struct Attribute: Encodable, Equatable {
        struct Value: Encodable, Equatable {
            var stringValue: String?
            var intValue: String?
        }

        var key: String
        var value: Value

        init(_ key: String, _ text: String) {
            self.key = key
            value = Value(stringValue: text)
        }

        init(_ key: String, _ number: UInt64) {
            self.key = key
            value = Value(intValue: "\(number)")
        }
    }

    private struct Scope: Encodable {
        var name = "napkin"
        var version = NapkinVersion.text
    }

    private struct Resource: Encodable {
        var attributes: [Attribute]
    }

    /// Identifies the sender: the one process that exports, not the processes that it reports on.
    ///
    /// - Parameter instance: distinguishes two exporters that run at the same time.
    private static func resource(_ instance: String) -> Resource {
        Resource(attributes: [
            Attribute("service.name", "napkin"), Attribute("service.version", NapkinVersion.text),
            Attribute("service.instance.id", instance),
        ])
    }

    // MARK: - Metrics

    private struct MetricsRequest: Encodable {
        struct ResourceMetrics: Encodable {
            var resource: Resource
            var scopeMetrics: [ScopeMetrics]
        }

        struct ScopeMetrics: Encodable {
            var scope = Scope()
            var metrics: [Item]
        }

        var resourceMetrics: [ResourceMetrics]
    }

    private struct Item: Encodable {
        struct Numbers: Encodable {
            var dataPoints: [Number]
            var aggregationTemporality: Int?
            var isMonotonic: Bool?
        }

        struct Number: Encodable {
            var attributes: [Attribute]
            var startTimeUnixNano: String?
            var timeUnixNano: String
            var asInt: String
        }

        struct Histograms: Encodable {
            var dataPoints: [HistogramPoint]
            var aggregationTemporality: Int
        }

        struct HistogramPoint: Encodable {
            var attributes: [Attribute]
            var startTimeUnixNano: String
            var timeUnixNano: String
            var count: String
            var sum: Double
            var bucketCounts: [String]
            var explicitBounds: [Double]
            var exemplars: [Exemplar]?
        }

        struct Exemplar: Encodable {
            var filteredAttributes: [Attribute]
            var timeUnixNano: String
            var asDouble: Double
        }

        /// AGGREGATION_TEMPORALITY_CUMULATIVE
        private static let cumulative = 2

        var name: String
        var description: String
        var unit: String
        var gauge: Numbers?
        var sum: Numbers?
        var histogram: Histograms?

        init(_ metric: Metric, at now: UInt64) {
            (name, description, unit) = (metric.name, metric.text, metric.unit)
            switch metric.kind {
            case .gauge: gauge = Numbers(dataPoints: Self.numbers(metric, at: now))
            case .counter:
                sum = Numbers(
                    dataPoints: Self.numbers(metric, at: now),
                    aggregationTemporality: Self.cumulative, isMonotonic: true)
            case .durations:
                histogram = Histograms(
                    dataPoints: Self.histograms(metric, at: now),
                    aggregationTemporality: Self.cumulative)
            }
        }

        private static func numbers(_ metric: Metric, at now: UInt64) -> [Number] {
            metric.points.compactMap { point in
                guard case .number(let number) = point.value else { return nil }
                return Number(
                    attributes: point.attributes,
                    startTimeUnixNano: metric.kind == .counter ? "\(metric.start)" : nil,
                    timeUnixNano: "\(now)", asInt: "\(Int64(clamping: number))")
            }
        }

        private static func histograms(_ metric: Metric, at now: UInt64) -> [HistogramPoint] {
            metric.points.compactMap { point in
                guard case .durations(let durations) = point.value else { return nil }
                return HistogramPoint(
                    attributes: point.attributes, startTimeUnixNano: "\(metric.start)",
                    timeUnixNano: "\(now)", count: "\(durations.count)",
                    sum: Double(durations.nanoseconds) / 1e9,
                    bucketCounts: durations.counts.map { "\($0)" },
                    explicitBounds: Durations.bounds.map { Double($0) / 1e9 },
                    exemplars: durations.recorded.map { [exemplar($0, at: now)] })
            }
        }

        private static func exemplar(_ call: RecordedCall, at now: UInt64) -> Exemplar {
            Exemplar(
                filteredAttributes: [
                    Attribute("napkin.record", call.record),
                    Attribute("napkin.session", call.session),
                ], timeUnixNano: "\(now)", asDouble: Double(call.nanoseconds) / 1e9)
        }
    }

    /// Returns the body of an `ExportMetricsServiceRequest`.
    ///
    /// - Parameter now: nanoseconds since 1970.
    static func body(
        of metrics: [Metric], from instance: String, at now: UInt64
    ) throws(ClientFailure) -> [UInt8] {
        let items = metrics.filter { !$0.points.isEmpty }.map { Item($0, at: now) }
        return try JSONOutput.text(
            of: MetricsRequest(resourceMetrics: [
                .init(resource: resource(instance), scopeMetrics: [.init(metrics: items)])
            ]))
    }

    // MARK: - Traces

    private struct TracesRequest: Encodable {
        struct ResourceSpans: Encodable {
            var resource: Resource
            var scopeSpans: [ScopeSpans]
        }

        struct ScopeSpans: Encodable {
            var scope = Scope()
            var spans: [Span]
        }

        var resourceSpans: [ResourceSpans]
    }

    /// Returns the body of an `ExportTraceServiceRequest`.
    static func body(
        of spans: [Span], from instance: String
    ) throws(ClientFailure) -> [UInt8] {
        try JSONOutput.text(
            of: TracesRequest(resourceSpans: [
                .init(resource: resource(instance), scopeSpans: [.init(spans: spans)])
            ]))
    }
}

extension Metric.Point {
    fileprivate var attributes: [OTLP.Attribute] {
        labels.map { OTLP.Attribute($0.name, $0.value) }
    }
}
