// PayloadReading: the one value that fills a payload.
//
// Layer      sans-I/O core.
// Isolation  value.

package import NapkinCoding

extension UnsafeRawBufferPointer {
    /// Returns the value that fills these bytes.
    ///
    /// Throws `CBORError` when they are something else, or more.
    package func decode<T: DirectlyCodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        var reader = CBORReader(self)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    /// Returns the value of a type that is `Codable` only.
    @_disfavoredOverload
    package func decode<T: Decodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        var reader = CBORReader(self)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    /// Returns the value that fills these bytes; `nil` when they are something else.
    package func decoded<T: Decodable>(_ type: T.Type = T.self) -> T? {
        do {
            return try decode(type)
        } catch {
            // An unreadable frame is refused like one that is not due, whatever is wrong with it.
            return nil
        }
    }
}
