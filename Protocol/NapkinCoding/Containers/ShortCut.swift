// ShortCut: bypasses Codable for values that have a direct way to the same bytes.
//
// It is inlined into the containers' functions: each of their calls for a scalar then has that
// scalar's code alone. (Measured: otherwise the five-field message takes 45 % more instructions to
// decode.)

enum ShortCut {
    /// Writes a value of a type that needs no containers; otherwise writes nothing and returns
    /// false.
    @inline(__always)
    static func encode<T>(_ value: T, into writer: inout CBORWriter) throws(CBORError) -> Bool {
        // Comparing with a known type costs nothing, the cast below 50 ns or more.
        if try encode(value, if: String.self, into: &writer) { return true }
        if try encode(value, if: Int.self, into: &writer) { return true }
        if try encode(value, if: Bool.self, into: &writer) { return true }
        if try encode(value, if: Double.self, into: &writer) { return true }
        if try encode(value, if: [String].self, into: &writer) { return true }
        if try encode(value, if: [UInt8].self, into: &writer) { return true }
        if try encode(value, if: Float.self, into: &writer) { return true }
        if try encode(value, if: Int8.self, into: &writer) { return true }
        if try encode(value, if: Int16.self, into: &writer) { return true }
        if try encode(value, if: Int32.self, into: &writer) { return true }
        if try encode(value, if: Int64.self, into: &writer) { return true }
        if try encode(value, if: UInt.self, into: &writer) { return true }
        if try encode(value, if: UInt8.self, into: &writer) { return true }
        if try encode(value, if: UInt16.self, into: &writer) { return true }
        if try encode(value, if: UInt32.self, into: &writer) { return true }
        if try encode(value, if: UInt64.self, into: &writer) { return true }
        guard let direct = T.self as? any DirectlyCodable.Type else { return false }
        return try encode(value, if: direct, into: &writer)
    }

    @inline(__always)
    private static func encode<T, D: DirectlyCodable>(
        _ value: T, if type: D.Type, into writer: inout CBORWriter
    ) throws(CBORError) -> Bool {
        guard T.self == D.self else { return false }
        try same(value, type).encode(into: &writer)
        return true
    }

    /// Reads a value of a type that needs no containers; otherwise reads nothing and returns nil.
    @inline(__always)
    static func decode<T>(_ type: T.Type, from reader: inout CBORReader) throws(CBORError) -> T? {
        if let value = try decode(type, if: String.self, from: &reader) { return value }
        if let value = try decode(type, if: Int.self, from: &reader) { return value }
        if let value = try decode(type, if: Bool.self, from: &reader) { return value }
        if let value = try decode(type, if: Double.self, from: &reader) { return value }
        if let value = try decode(type, if: [String].self, from: &reader) { return value }
        if let value = try decode(type, if: [UInt8].self, from: &reader) { return value }
        if let value = try decode(type, if: Float.self, from: &reader) { return value }
        if let value = try decode(type, if: Int8.self, from: &reader) { return value }
        if let value = try decode(type, if: Int16.self, from: &reader) { return value }
        if let value = try decode(type, if: Int32.self, from: &reader) { return value }
        if let value = try decode(type, if: Int64.self, from: &reader) { return value }
        if let value = try decode(type, if: UInt.self, from: &reader) { return value }
        if let value = try decode(type, if: UInt8.self, from: &reader) { return value }
        if let value = try decode(type, if: UInt16.self, from: &reader) { return value }
        if let value = try decode(type, if: UInt32.self, from: &reader) { return value }
        if let value = try decode(type, if: UInt64.self, from: &reader) { return value }
        guard let direct = T.self as? any DirectlyCodable.Type else { return nil }
        return try decode(type, if: direct, from: &reader)
    }

    @inline(__always)
    private static func decode<T, D: DirectlyCodable>(
        _ type: T.Type, if direct: D.Type, from reader: inout CBORReader
    ) throws(CBORError) -> T? {
        guard T.self == D.self else { return nil }
        return same(try D(from: &reader), type)
    }

    @inline(__always)
    private static func same<From, To>(_ value: From, _ type: To.Type) -> To {
        precondition(From.self == To.self, "a short cut to another type")
        // SAFETY: From and To are the same type, by the line above.
        return unsafeBitCast(value, to: type)
    }
}
