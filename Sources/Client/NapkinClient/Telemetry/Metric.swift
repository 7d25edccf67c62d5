// Metric: a measured quantity and its points, named as OpenTelemetry names metrics.
//
// Layer      client. It knows neither of the formats in which it is written.

import NapkinProtocol

struct Metric: Equatable {
    enum Kind {
        /// A number that goes up and down.
        case gauge
        /// A number that only grows while its source lives.
        case counter
        case durations
    }

    struct Label: Hashable {
        var name: String
        var value: String
    }

    enum Value: Equatable {
        case number(UInt64)
        case durations(Durations)
    }

    struct Point: Equatable {
        var labels: [Label]
        var value: Value
    }

    var name: String
    /// A unit of UCUM, as OpenTelemetry writes units: `By`, `s`, `{session}`.
    var unit: String
    var text: String
    var kind = Kind.gauge
    /// The time since which a counter or durations have been counted, in nanoseconds since 1970.
    var start: UInt64 = 0
    var points: [Point] = []

    /// Adds a point; none if the number is unknown.
    mutating func add(_ number: Int?, _ labels: KeyValuePairs<String, String>) {
        guard let number else { return }
        points.append(
            Point(
                labels: labels.map { Label(name: $0.key, value: $0.value) },
                value: .number(UInt64(clamping: number))))
    }
}

/// Durations in few buckets.
struct Durations: Equatable {
    /// The buckets' upper bounds in nanoseconds; one more bucket holds longer durations. Powers of
    /// four from 1 µs to 17 s, which are also bounds of a `Histogram`.
    static let bounds = stride(from: UInt64(10), through: 34, by: 2).map { UInt64(1) << $0 }

    var counts = [UInt64](repeating: 0, count: Durations.bounds.count + 1)
    var nanoseconds: UInt64 = 0
    /// The newest recorded call.
    var recorded: RecordedCall?

    var count: UInt64 { counts.reduce(0, &+) }

    init() {}

    init(_ histogram: Histogram, nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
        let buckets = histogram.buckets
        for index in stride(from: 0, to: buckets.count - 1, by: 2) {
            let middle = Histogram.middle(of: Int(clamping: buckets[index]))
            counts[Self.bucket(of: middle)] &+= buckets[index + 1]
        }
    }

    static func bucket(of nanoseconds: UInt64) -> Int {
        bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count
    }

    /// Adds what was counted between two samples. Counts that are lower than before, as after the
    /// end of a session or of a worker, add nothing.
    mutating func add(from old: Durations, to new: Durations) {
        for index in counts.indices {
            counts[index] &+= new.counts[index].excess(over: old.counts[index])
        }
        nanoseconds &+= new.nanoseconds.excess(over: old.nanoseconds)
        if let call = new.recorded, call != old.recorded { recorded = call }
    }
}

extension UInt64 {
    func excess(over other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
