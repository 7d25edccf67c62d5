// ShortCut: bypasses Codable for values that have a direct way to the same bytes.

enum ShortCut {
    /// Writes a value of a type that needs no containers; otherwise writes nothing and returns
    /// false.
    static func encode<T>(_ value: T, into writer: inout CBORWriter) throws(CBORError) -> Bool {
        // The most common types first: these comparisons cost nothing, the cast below 50 ns or
        // more.
        if T.self == [String].self {
            try same(value, [String].self).encode(into: &writer)
        } else if T.self == String.self {
            writer.writeString(same(value, String.self))
        } else if T.self == Int.self {
            writer.writeInt(Int64(same(value, Int.self)))
        } else if T.self == [UInt8].self {
            writer.writeBytes(same(value, [UInt8].self))
        } else if let direct = T.self as? any DirectlyCodable.Type {
            try encode(value, as: direct, into: &writer)
        } else {
            return false
        }
        return true
    }

    private static func encode<T, D: DirectlyCodable>(
        _ value: T, as type: D.Type, into writer: inout CBORWriter
    ) throws(CBORError) {
        try same(value, type).encode(into: &writer)
    }

    /// Reads a value of a type that needs no containers; otherwise reads nothing and returns nil.
    static func decode<T>(_ type: T.Type, from reader: inout CBORReader) throws(CBORError) -> T? {
        if T.self == [String].self { return same(try [String](from: &reader), type) }
        if T.self == String.self { return same(try reader.readString(), type) }
        if T.self == Int.self { return same(try reader.readInt(), type) }
        if T.self == [UInt8].self { return same(try [UInt8](from: &reader), type) }
        guard let direct = T.self as? any DirectlyCodable.Type else { return nil }
        return try decode(direct, as: type, from: &reader)
    }

    private static func decode<D: DirectlyCodable, T>(
        _ direct: D.Type, as type: T.Type, from reader: inout CBORReader
    ) throws(CBORError) -> T {
        same(try D(from: &reader), type)
    }

    @inline(__always)
    private static func same<From, To>(_ value: From, _ type: To.Type) -> To {
        precondition(From.self == To.self, "a short cut to another type")
        // SAFETY: From and To are the same type, by the line above.
        return unsafeBitCast(value, to: type)
    }
}
