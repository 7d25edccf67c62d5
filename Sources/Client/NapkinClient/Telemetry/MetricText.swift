// MetricText: metrics as the text that Prometheus reads.
//
// Spec       Prometheus, "Exposition formats" (0.0.4); OpenMetrics 1.0.0

import NapkinProtocol

struct MetricText {
    /// Characters of an exemplar's labels, names included. Source: OpenMetrics 1.0.0, "Exemplars"
    private static let exemplarCharactersMax = 128

    /// Whether it is OpenMetrics, and not the older format.
    let isOpen: Bool
    private(set) var text = ""

    init(_ metrics: [Metric], isOpen: Bool) {
        self.isOpen = isOpen
        for metric in metrics { add(metric) }
        if isOpen { text += "# EOF\n" }
    }

    private mutating func add(_ metric: Metric) {
        let unit = ["s": "seconds", "By": "bytes"][metric.unit]
        let base = Self.name(metric.name) + (unit.map { "_\($0)" } ?? "")
        let total = metric.kind == .counter ? "_total" : ""
        let kind =
            switch metric.kind {
            case .gauge: "gauge"
            case .counter: "counter"
            case .durations: "histogram"
            }
        // The family of a counter has its ending in the older format only.
        let family = isOpen ? base : base + total
        text += "# HELP \(family) \(Self.escaped(metric.text, quote: isOpen))\n"
        text += "# TYPE \(family) \(kind)\n"
        if isOpen, let unit { text += "# UNIT \(family) \(unit)\n" }
        for point in metric.points {
            switch point.value {
            case .number(let number):
                text += "\(base)\(total)\(Self.labels(point.labels)) \(number)\n"
            case .durations(let durations): add(durations, base, point.labels)
            }
        }
    }

    private mutating func add(
        _ durations: Durations, _ base: String, _ labels: [Metric.Label]
    ) {
        var count: UInt64 = 0
        let place = durations.recorded.map { Durations.bucket(of: $0.nanoseconds) }
        for (index, added) in durations.counts.enumerated() {
            count &+= added
            let bound =
                index < Durations.bounds.count
                ? Self.seconds(Durations.bounds[index]) : "+Inf"
            let all = labels + [Metric.Label(name: "le", value: bound)]
            text += "\(base)_bucket\(Self.labels(all)) \(count)"
            if isOpen, index == place, let call = durations.recorded { addExemplar(call) }
            text += "\n"
        }
        text += "\(base)_sum\(Self.labels(labels)) \(Self.seconds(durations.nanoseconds))\n"
        text += "\(base)_count\(Self.labels(labels)) \(count)\n"
    }

    private mutating func addExemplar(_ call: RecordedCall) {
        var labels = [
            Metric.Label(name: "napkin.record", value: "\(call.record)"),
            Metric.Label(name: "napkin.session", value: call.session),
        ]
        let length = labels.reduce(0) {
            $0 + $1.name.unicodeScalars.count + $1.value.unicodeScalars.count
        }
        if length > Self.exemplarCharactersMax { labels.removeLast() }
        text += " # \(Self.labels(labels)) \(Self.seconds(call.nanoseconds))"
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        "\(Double(nanoseconds) / 1e9)"
    }

    private static func name(_ name: String) -> String { name.replacing(".", with: "_") }

    private static func labels(_ labels: [Metric.Label]) -> String {
        guard !labels.isEmpty else { return "" }
        let parts = labels.map { "\(name($0.name))=\"\(escaped($0.value, quote: true))\"" }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func escaped(_ text: String, quote: Bool) -> String {
        let text = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        return quote ? text.replacing("\"", with: "\\\"") : text
    }
}
