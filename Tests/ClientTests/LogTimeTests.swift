// LogTimeTests: times as people name them, and as lines begin with them.

import Foundation
import Testing

@testable import NapkinClient

struct LogTimeTests {
    @Test(arguments: [
        ("2026-03-01T09:30:15Z", 1_772_357_415), ("2026-03-01T09:30:15+0000", 1_772_357_415),
        ("2026-03-01 10:30:15+01:00", 1_772_357_415), ("2026-03-01T07:00:15-0230", 1_772_357_415),
        ("2026-03-01T09:30Z", 1_772_357_400), ("2024-02-29T00:00Z", 1_709_164_800),
        ("2026-03-01T09:30+23:59", 1_772_271_060),
    ])
    func `a time with an offset is the same everywhere`(text: String, seconds: Int) {
        #expect(LogTime(argument: text) == LogTime(seconds: seconds))
    }

    @Test func `without an offset it is of this machine's zone`() throws {
        let day = DateComponents(year: 2026, month: 7, day: 1, hour: 9, minute: 30)
        let date = try #require(Calendar(identifier: .gregorian).date(from: day))
        let expected = LogTime(seconds: Int(date.timeIntervalSince1970))
        for text in ["2026-07-01T09:30", "2026-07-01 09:30:00"] {
            #expect(LogTime(argument: text) == expected)
        }
        let midnight = LogTime(seconds: expected.seconds - 34_200)
        #expect(LogTime(argument: "2026-07-01") == midnight)
        let noon = try #require(LogTime(argument: "12:00"))
        #expect(abs(noon.seconds - Int(Date.now.timeIntervalSince1970)) <= 90_000)
    }

    @Test func `how long ago counts from now`() throws {
        // The same clock: another one may already be in the next second.
        let now = time(nil)
        for (text, seconds) in [("90s", 90), ("10m", 600), ("2h", 7200), ("0s", 0)] {
            let time = try #require(LogTime(argument: text))
            #expect((now...now + 60).contains(time.seconds + seconds), "\(text)")
        }
    }

    @Test(arguments: [
        "", "noon", "10", "-10m", "10x", "2026", "2026-13-01", "2026-01-32", "24:00", "9:30",
        "2026-03-01T", "2026-03-01T09", "2026-03-01T09:30:15 and more", "09:30+", "٠٩:٣٠",
        "2026-03-01T09:30:15+00000", "2026-02-31", "2026-02-29", "2026-06-31T10:00",
        "2026-11-31 10:00:00", "2026-01-00", "1900-02-29", "2026-07-01T10:00+99:99",
        "2026-07-01T10:00+24:00", "2026-07-01T10:00-0060",
    ])
    func `anything else is none`(text: String) {
        #expect(LogTime(argument: text) == nil)
    }

    @Test func `a line begins with a time, or has none`() {
        let time = "2026-03-01T09:30:15+0000"
        #expect(LogTime(line: "\(time) notice till: a".utf8)?.seconds == 1_772_357_415)
        for line in [
            "", time, "\(time)x", " \(time) a", "line 1", "2026-03-01 a",
            "09:30 and all that is to do",
        ] {
            #expect(LogTime(line: line.utf8) == nil, "\(line)")
        }
        for end in 0..<30 { _ = LogTime(line: Array("\(time) é notice".utf8).prefix(end)) }
    }
}
