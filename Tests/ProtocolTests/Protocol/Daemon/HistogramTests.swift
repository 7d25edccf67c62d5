// HistogramTests: buckets, percentiles, and what was counted between two looks.

import NapkinProtocol
import Testing

struct HistogramTests {
    private func histogram(_ durations: UInt64...) -> Histogram {
        var histogram = Histogram()
        for duration in durations { histogram.add(duration) }
        return histogram
    }

    @Test func `a bucket's number follows from the bits`() {
        let expected: [(UInt64, Int)] = [
            (0, 0), (7, 7), (8, 8), (15, 15), (16, 16), (17, 16), (18, 17), (31, 23), (32, 24),
            (1000, 63), (1 << 40, 304), (15 << 37, 311), (.max, 311),
        ]
        for (duration, bucket) in expected { #expect(Histogram.bucket(of: duration) == bucket) }
    }

    @Test func `the middle of a bucket is at most a sixteenth away`() {
        var last = -1
        for shift in 0...37 {
            for part in UInt64(8)..<16 {
                let duration = part << UInt64(shift)
                let bucket = Histogram.bucket(of: duration)
                #expect(bucket > last)
                last = bucket
                let middle = Histogram.middle(of: bucket)
                #expect(Histogram.bucket(of: middle) == bucket)
                #expect(middle - duration <= duration / 16)
            }
        }
    }

    @Test func `percentiles are those of the durations`() {
        var many = Histogram()
        for duration in UInt64(1)...1000 { many.add(duration * 1000) }
        #expect(many.count == 1000)
        for (share, exact) in [(0.5, 500_000.0), (0.99, 990_000), (1, 1_000_000)] {
            let found = Double(many.percentile(share) ?? 0)
            #expect(abs(found - exact) <= exact / 8, "\(share)")
        }
        #expect(Histogram().percentile(0.5) == nil)
        #expect(histogram(5).percentile(0.99) == 5)
    }

    @Test func `what was counted since then is the difference`() {
        let early = histogram(3, 3, 90)
        var late = early
        late.add(3)
        late.add(5000)
        #expect(late.since(early) == histogram(3, 5000))
        #expect(late.since(late).count == 0)
        // Begun anew meanwhile: fewer than before.
        #expect(histogram(3).since(early) == histogram(3))
        #expect(histogram(1, 1, 1, 1).since(early) == histogram(1, 1, 1, 1))
    }

    @Test func `two are added bucket by bucket`() {
        var sum = histogram(1, 200)
        sum.add(histogram(1, 100, 5000))
        #expect(sum == histogram(1, 1, 100, 200, 5000))
        #expect(sum.isSound)
    }

    @Test func `one that nobody could have made is found out`() throws {
        let unsound: [[UInt64]] = [
            [1], [5, 1, 5, 1], [7, 1, 3, 1], [312, 1], [.max, 1], [4, 0],
        ]
        for buckets in unsound {
            #expect(!(try Self.decoded(buckets)).isSound, "\(buckets)")
            // And can be asked anything.
            _ = try Self.decoded(buckets).percentile(0.5)
            _ = try Self.decoded(buckets).since(histogram(1))
        }
        #expect(try Self.decoded([0, 1, 311, .max]).isSound)
    }

    private static func decoded(_ buckets: [UInt64]) throws -> Histogram {
        try JSONText.decode(Histogram.self, #"{"buckets": \#(buckets)}"#)
    }
}
