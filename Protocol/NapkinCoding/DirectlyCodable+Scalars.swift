// DirectlyCodable scalars: integers, floats, booleans, strings, durations.
//
// Spec       Protocol/SPEC.md, section 13 (Schema); ISO 8601-1, section 5.5.2

extension Bool: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeBool(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readBool() }
}

extension Double: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeDouble(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readDouble() }
}

extension Float: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeFloat(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readFloat() }
}

extension String: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeString(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) { self = try reader.readString() }
}

extension DirectlyCodable where Self: FixedWidthInteger {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) {
        if Self.isSigned { writer.writeInt(Int64(self)) } else { writer.writeUInt(UInt64(self)) }
    }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Self.self)
    }
}

extension Int: DirectlyCodable {}
extension Int8: DirectlyCodable {}
extension Int16: DirectlyCodable {}
extension Int32: DirectlyCodable {}
extension Int64: DirectlyCodable {}
extension UInt: DirectlyCodable {}
extension UInt8: DirectlyCodable {}
extension UInt16: DirectlyCodable {}
extension UInt32: DirectlyCodable {}
extension UInt64: DirectlyCodable {}

// MARK: Concrete overloads

// The generic `read(_:)` reaches these through a witness, which the optimizer does not inline
// across modules: that costs 5 % of the time of a small struct (measured). Results are the same.
extension CBORReader {
    @inlinable @inline(__always)
    public mutating func read(_ type: Bool.Type) throws(CBORError) -> Bool { try readBool() }

    @inlinable @inline(__always)
    public mutating func read(_ type: Double.Type) throws(CBORError) -> Double { try readDouble() }

    @inlinable @inline(__always)
    public mutating func read(_ type: Float.Type) throws(CBORError) -> Float { try readFloat() }

    @inlinable @inline(__always)
    public mutating func read(_ type: String.Type) throws(CBORError) -> String { try readString() }

    @inlinable @inline(__always)
    public mutating func read<T: FixedWidthInteger & DirectlyCodable>(
        _ type: T.Type
    ) throws(CBORError) -> T {
        try readInteger(type)
    }
}

/// A duration crosses as ISO 8601 text, in seconds: `PT90.5S`, `-PT0.25S`. Hours and minutes are
/// also accepted: `PT1H30M`. The text is exact.
extension Duration: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        types.describe(Self.self, as: "Duration") { type in type.raw(String.self) }
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        let (seconds, attoseconds) = components
        let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
        let part = String(decimals: attoseconds.magnitude, of: 1_000_000_000_000_000_000)
        writer.writeString("\(sign)PT\(seconds.magnitude)\(part)S")
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readText(
            as: "a duration in the form of ISO 8601, such as PT90.5S or PT1H30M",
            Duration.init(iso8601:))
    }

    private init?(iso8601 text: String) {
        var rest = text[...]
        // `encode` writes at most 44 bytes.
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
        // `components` holds the seconds as an Int64.
        let (seconds, _) = value.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        guard Int64(exactly: seconds) != nil else { return nil }
        self.init(attoseconds: value)
    }
}

extension CBORReader {
    /// Reads a value that crosses as text; `parse` returns nil for a text that is not `form`.
    package mutating func readText<Value>(
        as form: @autoclosure () -> String, _ parse: (String) -> Value?
    ) throws(CBORError) -> Value {
        let start = position
        guard let value = parse(try readString()) else {
            position = start
            throw failure(.custom, "not \(form())")
        }
        return value
    }
}

extension String {
    /// Writes `part / whole`, which is below one, as decimals after a point: `.25`; nothing for 0.
    ///
    /// - Parameter whole: a power of ten.
    package init(decimals part: UInt64, of whole: UInt64) {
        self = part == 0 ? "" : ".\(whole + part)"
        guard part > 0 else { return }
        remove(at: index(after: startIndex))
        while last == "0" { removeLast() }
    }
}
