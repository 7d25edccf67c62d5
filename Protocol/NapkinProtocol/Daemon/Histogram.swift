// Histogram: counts durations in a bounded number of buckets.
//
// Invariant  at most `bucketsMax` buckets; `count` is the sum of their counts.
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinCoding

/// Counts of durations, in eight buckets for each power of two: a percentile is at most 1/16 off.
@Message
public struct Histogram: Equatable, MandatoryFields {
    /// The number of buckets. The last begins at 1.9 * 2^40 ns, 35 minutes, and counts all longer
    /// durations.
    public static let bucketsMax = 312

    /// Pairs of a bucket's number and its count, ascending; no bucket is empty.
    public private(set) var buckets: [UInt64] = []

    /// Returns the bucket of a duration in nanoseconds.
    public static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 8 else { return Int(nanoseconds) }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let part = Int((nanoseconds >> UInt64(exponent - 3)) & 7)
        return min((exponent - 2) * 8 + part, bucketsMax - 1)
    }

    /// Returns the middle of a bucket, in nanoseconds.
    public static func middle(of bucket: Int) -> UInt64 {
        guard bucket >= 16 else { return UInt64(max(0, bucket)) }
        let shift = UInt64(bucket / 8 - 1)
        return (UInt64(bucket % 8 + 8) << shift) + (1 << shift) / 2
    }

    /// The number of counted values.
    public var count: UInt64 { pairs.reduce(0) { $0 &+ $1.count } }

    private var pairs: [(bucket: UInt64, count: UInt64)] {
        stride(from: 0, to: buckets.count - 1, by: 2).map {
            (buckets[$0], buckets[$0 + 1])
        }
    }

    /// Whether this implementation could have created this histogram. Check it for a peer's
    /// histogram.
    public var isSound: Bool {
        guard buckets.count.isMultiple(of: 2) else { return false }
        var next: UInt64 = 0
        for (bucket, count) in pairs {
            guard bucket >= next, bucket < Self.bucketsMax, count > 0 else { return false }
            next = bucket + 1
        }
        return true
    }

    /// Counts one more duration.
    public mutating func add(_ nanoseconds: UInt64) {
        add(1, to: UInt64(Self.bucket(of: nanoseconds)))
    }

    /// Adds the counts of another histogram.
    public mutating func add(_ other: Histogram) {
        for (bucket, count) in other.pairs { add(count, to: bucket) }
    }

    private mutating func add(_ count: UInt64, to bucket: UInt64) {
        var index = 0
        while index < buckets.count, buckets[index] < bucket { index += 2 }
        if index < buckets.count, buckets[index] == bucket {
            buckets[index + 1] &+= count
        } else {
            buckets.insert(contentsOf: [bucket, count], at: index)
        }
    }

    /// Returns the counts added since `earlier`; all counts if counting has been restarted since.
    public func since(_ earlier: Histogram) -> Histogram {
        var known: [UInt64: UInt64] = [:]
        for (bucket, count) in earlier.pairs { known[bucket] = count }
        var result = Histogram()
        for (bucket, count) in pairs {
            let before = known.removeValue(forKey: bucket) ?? 0
            guard count >= before else { return self }
            if count > before { result.buckets += [bucket, count - before] }
        }
        return known.isEmpty ? result : self
    }

    /// Returns the duration, in nanoseconds, that `share` of all values do not exceed; `nil` if
    /// there are none.
    public func percentile(_ share: Double) -> UInt64? {
        let total = count
        guard total > 0 else { return nil }
        let rank = max(1, UInt64(exactly: (Double(total) * share).rounded(.up)) ?? total)
        var seen: UInt64 = 0
        for (bucket, count) in pairs {
            seen &+= count
            if seen >= rank {
                return Self.middle(of: Int(min(bucket, UInt64(Self.bucketsMax - 1))))
            }
        }
        return nil
    }
}
