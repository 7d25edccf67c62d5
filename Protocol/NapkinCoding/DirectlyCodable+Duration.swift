// DirectlyCodable Duration: spans of time as texts that people and other languages read.
//
// Spec       Protocol/SPEC.md, section 13 (Schema); ISO 8601-1, section 5.5.2

/// A duration crosses as the text of ISO 8601, in seconds: `PT90.5S`, `-PT0.25S`. Hours and minutes
/// are read, too: `PT1H30M`. It is exact.
extension Duration: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "Duration") { type in type.raw(String.self) }
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        let (seconds, attoseconds) = components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        var text = "\(sign)PT\(seconds.magnitude)"
        if attoseconds != 0 {
            var digits = String(1_000_000_000_000_000_000 + attoseconds.magnitude).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            text += ".\(digits)"
        }
        writer.writeString(text + "S")
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        let offset = reader.position
        guard let duration = Duration(iso8601: try reader.readString()) else {
            throw CBORError(
                .custom, at: offset,
                "not a duration in the form of ISO 8601, such as PT90.5S or PT1H30M")
        }
        self = duration
    }

    private init?(iso8601 text: String) {
        var rest = text[...]
        // The longest that is written has 44.
        guard text.utf8.count <= 64 else { return nil }
        let isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        guard rest.hasPrefix("PT") else { return nil }
        rest.removeFirst(2)
        var total: Int128 = 0
        var isEmpty = true
        for (unit, seconds) in [("H", 3600), ("M", 60), ("S", 1)] as [(Character, Int128)] {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            var after = rest[digits.endIndex...]
            var fraction = Substring()
            if unit == "S", after.first == "." {
                fraction = after.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard (1...18).contains(fraction.count) else { return nil }
                after = after[fraction.endIndex...]
            }
            guard after.first == unit else { continue }
            guard let count = UInt64(digits),
                let part = Int128(fraction + String(repeating: "0", count: 18 - fraction.count))
            else { return nil }
            // At most 2^64 hours, in attoseconds: 2^136. Each product and sum may overflow.
            let (whole, isTooLong) = Int128(count).multipliedReportingOverflow(
                by: seconds * 1_000_000_000_000_000_000)
            let (sum, hasOverflown) = total.addingReportingOverflow(whole)
            let (exact, isTooLongAtLast) = sum.addingReportingOverflow(part)
            guard !isTooLong, !hasOverflown, !isTooLongAtLast else { return nil }
            total = exact
            isEmpty = false
            rest = after.dropFirst()
        }
        guard rest.isEmpty, !isEmpty else { return nil }
        let value = isNegative ? -total : total
        // What `components` can hold.
        let (seconds, _) = value.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        guard Int64(exactly: seconds) != nil else { return nil }
        self.init(attoseconds: value)
    }
}
