// Report: one line of JSON for one workload.

import Histogram

/// What a workload measured.
struct Report {
    var workload: String
    var processor: Int?
    var fields: [(name: String, value: Double)] = []

    /// Latencies in nanoseconds, three significant digits.
    static func histogram() -> Histogram<UInt32> {
        Histogram(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
    }

    /// Returns the value in the middle; 0 when there is none.
    static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    /// Adds p50 to p99.9 in microseconds.
    mutating func add(_ histogram: Histogram<UInt32>, prefix: String = "") {
        for (name, percentile) in [("p50", 50.0), ("p90", 90), ("p99", 99), ("p99_9", 99.9)] {
            let value = histogram.valueAtPercentile(percentile)
            fields.append(("\(prefix)\(name)_us", Double(value) / 1000))
        }
    }

    mutating func add(_ name: String, _ value: Double) {
        fields.append((name, value))
    }

    /// Numbers with three decimals: more would not be true.
    var json: String {
        var parts = ["\"workload\":\"\(workload)\""]
        parts.append("\"pin\":" + (processor.map { "\($0)" } ?? "null"))
        for field in fields {
            let rounded = (field.value * 1000).rounded() / 1000
            parts.append("\"\(field.name)\":\(rounded)")
        }
        return "{" + parts.joined(separator: ",") + "}"
    }
}
