// TextValueTests: dates, URLs and durations cross as texts, and bad ones are refused.
//
// Spec       Protocol/SPEC.md, section 13 (Schema)

import FoundationEssentials
import NapkinCoding
import NapkinFoundation
import TestSupport
import Testing

@Message
struct Appointment: Equatable {
    var begins: Date
    var takes: Duration
    var page: URL?
    var reminders: [Date]
}

@Suite
struct TextValueTests {
    private func bytes<T: DirectlyCodable>(_ value: T) throws -> [UInt8] {
        var writer = CBORWriter()
        try value.encode(into: &writer)
        return writer.copyBytes()
    }

    private func text<T: DirectlyCodable>(_ value: T) throws -> String {
        try read(try bytes(value), as: String.self)
    }

    private func read<T: DirectlyCodable>(_ bytes: [UInt8], as type: T.Type) throws -> T {
        try bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            let value = try T(from: &reader)
            try reader.expectEnd()
            return value
        }
    }

    private func value<T: DirectlyCodable>(_ text: String, as type: T.Type) throws -> T {
        try read(try bytes(text), as: type)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00Z"), (1_795_414_665.25, "2026-11-23T06:17:45.25Z"),
        (-14_182_940.0, "1969-07-20T20:17:40Z"), (-0.5, "1969-12-31T23:59:59.5Z"),
        (253_402_300_799.5, "9999-12-31T23:59:59.5Z"), (-12_212_553_600, "1583-01-01T00:00:00Z"),
        (951_826_554, "2000-02-29T12:15:54Z"),
    ])
    func `a date is RFC 3339's text`(seconds: Double, written: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try text(date) == written)
        #expect(try value(written, as: Date.self) == date)
    }

    @Test func `a date comes back as it was, whatever its fraction`() throws {
        var random = Randomness(seed: 1)
        for _ in 0..<10_000 {
            let seconds = Double.random(in: -12_212_553_600...253_402_300_799, using: &random)
            let date = Date(timeIntervalSince1970: seconds)
            #expect(try value(try text(date), as: Date.self) == date)
        }
    }

    @Test(arguments: [
        ("2026-11-23T07:17:45+01:00", "2026-11-23T06:17:45Z"),
        ("2026-11-23T00:47:45.123456789-05:30", "2026-11-23T06:17:45.123456789Z"),
    ])
    func `a date of another offset is read`(other: String, written: String) throws {
        let difference = try value(other, as: Date.self).timeIntervalSince(
            try value(written, as: Date.self))
        #expect(abs(difference) < 1e-6)
    }

    @Test(arguments: [
        "", "tomorrow", "2026-11-23", "2026-11-23T06:17:45", "2026-02-30T00:00:00Z",
        "2026-11-23T25:17:45Z", "2026-11-23T06:17:60Z", "2026-11-23T06:17:45Zxx",
        "2026-11-23T06:17:45.Z", "2026-11-23T06:17:45+1:00", "2026-11-23T06:17:45+24:00",
        "1582-12-31T23:59:59Z", "1583-01-01T00:00:00+00:01", "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01", "2026-11-23 06:17:45Z", "12026-11-23T06:17:45Z",
        "2026-11-23T06:17:45.-1Z",
        "2026-11-23T06:17:45" + String(repeating: "0", count: 1000) + "Z", "２026-11-23T06:17:45Z",
    ])
    func `what is no date is refused`(text: String) {
        #expect(throws: CBORError.self) { try value(text, as: Date.self) }
    }

    @Test(arguments: [.infinity, -.infinity, .nan, 253_402_300_800, -12_212_553_601, 1e300])
    func `a date that has no text is not encoded`(seconds: Double) {
        #expect(throws: CBORError.self) { try bytes(Date(timeIntervalSince1970: seconds)) }
    }

    @Test(arguments: [
        (Duration.zero, "PT0S"), (.seconds(90.5), "PT90.5S"), (.milliseconds(-250), "-PT0.25S"),
        (.seconds(Int64.max), "PT9223372036854775807S"),
        (.seconds(Int64.min), "-PT9223372036854775808S"),
        (Duration(secondsComponent: 1, attosecondsComponent: 1), "PT1.000000000000000001S"),
    ])
    func `a duration is ISO 8601's text`(duration: Duration, written: String) throws {
        #expect(try text(duration) == written)
        #expect(try value(written, as: Duration.self) == duration)
    }

    @Test func `hours and minutes are read`() throws {
        #expect(try value("PT1H30M", as: Duration.self) == .seconds(5400))
        #expect(try value("-PT1H0.5S", as: Duration.self) == .seconds(-3600.5))
    }

    @Test(arguments: [
        "", "PT", "PT5", "5S", "PT-5S", "PT1.S", "PT.5S", "PT1S1M", "P1D", "PT1.5H", "PT5S ",
        "PT1.0000000000000000001S", "PT9223372036854775808S", "PT18446744073709551615H",
        "PT18446744073709551616S", "PT٥S",
    ])
    func `what is no duration is refused`(text: String) {
        #expect(throws: CBORError.self) { try value(text, as: Duration.self) }
    }

    @Test func `a URL is its absolute text`() throws {
        let url = try #require(URL(string: "jobs://job/3?tail=10"))
        #expect(try text(url) == "jobs://job/3?tail=10")
        #expect(try value("jobs://job/3?tail=10", as: URL.self) == url)
        for text in [
            "", "http://[::1", "a b", "http://bücher.de/",
            "x:" + String(repeating: "y", count: 8191),
        ] {
            #expect(throws: CBORError.self) { try value(text, as: URL.self) }
        }
        let long = try #require(URL(string: "x:" + String(repeating: "y", count: 8191)))
        #expect(throws: CBORError.self) { try bytes(long) }
    }

    @Test func `a message has them as texts, by both ways, and its schema says so`() throws {
        let appointment = Appointment(
            begins: Date(timeIntervalSince1970: 0), takes: .seconds(60),
            page: URL(string: "https://example.org"), reminders: [])
        let direct = try bytes(appointment)
        var writer = CBORWriter()
        try writer.encodeContainers(appointment)
        #expect(writer.copyBytes() == direct)
        #expect(try read(direct, as: Appointment.self) == appointment)
        var types = TypeCatalog()
        #expect(types.name(of: Appointment.self) == "Appointment")
        let fields = types.types.first?.fields?.map { "\($0.key): \($0.type)" }
        #expect(fields == ["begins: Date", "takes: Duration", "page: URL?", "reminders: [Date]"])
        #expect(types.types.dropFirst().map(\.raw) == ["String", "String", "String"])
    }
}
