// Date+DirectlyCodable: dates as texts that people and other languages read.
//
// Isolation  value. Bytes from a peer can never trap here.
// Spec       Protocol/SPEC.md, section 13 (Schema); RFC 3339, section 5.6

public import FoundationEssentials
public import NapkinCoding

/// A date crosses as the text of RFC 3339, in UTC: `2026-11-23T06:17:45.25Z`. Texts with another
/// offset can be read. A date is exact to the nanosecond; a date at least half a year from
/// 2001-01-01 survives the round trip unchanged. Years before 1583, when calendars differed, and
/// after 9999 cannot cross.
extension Date: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "Date") { type in type.raw(String.self) }
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        guard Self.years.contains(timeIntervalSinceReferenceDate) else {
            throw CBORError(.outOfRange, "a date outside of the years 1583 to 9999")
        }
        var second = timeIntervalSinceReferenceDate.rounded(.down)
        var nanoseconds = Int(((timeIntervalSinceReferenceDate - second) * 1e9).rounded())
        if nanoseconds == 1_000_000_000 { (second, nanoseconds) = (second + 1, 0) }
        // The last half nanosecond of the year 9999.
        second = min(second, Self.years.upperBound - 1)
        let text = Date(timeIntervalSinceReferenceDate: second).formatted(.iso8601)
        let part = String(decimals: UInt64(nanoseconds), of: 1_000_000_000)
        writer.writeString("\(text.dropLast())\(part)Z")
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readText(
            as: "a date in the form of RFC 3339, such as 2026-11-23T06:17:45Z", Date.init(rfc3339:))
    }

    /// The times of the years 1583 to 9999, in seconds since 2001-01-01.
    private static let years = -13_190_860_800.0..<252_423_993_600.0

    private init?(rfc3339 text: String) {
        let utf8 = Array(text.utf8)
        guard (20...40).contains(utf8.count) else { return nil }
        let local = String(decoding: utf8[..<19], as: UTF8.self) + "Z"
        // The parser accepts a 30 February: only a text that is written again unchanged is a date.
        guard let second = try? Date(local, strategy: .iso8601),
            second.formatted(.iso8601) == local
        else { return nil }
        var rest = utf8[19...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard let value = Double("0.\(String(decoding: digits, as: UTF8.self))"),
                !digits.isEmpty
            else { return nil }
            fraction = value
            rest = rest[digits.endIndex...]
        }
        guard let east = Self.secondsEast(rest) else { return nil }
        let time = second.timeIntervalSinceReferenceDate - Double(east) + fraction
        guard Self.years.contains(time) else { return nil }
        self.init(timeIntervalSinceReferenceDate: time)
    }

    /// Reads `Z`, `+01:00` or `-05:30`.
    private static func secondsEast(_ text: ArraySlice<UInt8>) -> Int? {
        if text.elementsEqual("Z".utf8) { return 0 }
        let parts = text.dropFirst().split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int? in
            guard part.count == 2, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int(String(decoding: part, as: UTF8.self))
        }
        guard parts.count == 2, numbers.count == 2, numbers[0] < 24, numbers[1] < 60 else {
            return nil
        }
        let seconds = numbers[0] * 3600 + numbers[1] * 60
        switch text.first {
        case UInt8(ascii: "+"): return seconds
        case UInt8(ascii: "-"): return -seconds
        default: return nil
        }
    }
}
