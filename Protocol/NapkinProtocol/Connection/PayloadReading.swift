// PayloadReading: decodes the one value that fills a payload; refuses anything else.

public import NapkinCoding

extension UnsafeRawBufferPointer {
    /// Returns the value that fills these bytes.
    ///
    /// Throws `CBORError` if they are not exactly one such value.
    public func decode<T: DirectlyCodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        var reader = CBORReader(self)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    /// Returns the value that fills these bytes, of a type that is only `Codable`.
    @_disfavoredOverload
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        var reader = CBORReader(self)
        let value = try reader.read(type)
        try reader.expectEnd()
        return value
    }

    /// Returns the value that fills these bytes; `nil` if they are not such a value. An unreadable
    /// frame is refused like an unexpected one, so that the error does not matter.
    public func decoded<T: DirectlyCodable>(_ type: T.Type = T.self) -> T? { try? decode(type) }

    /// Returns the value that fills these bytes, of a type that is only `Codable`.
    @_disfavoredOverload
    public func decoded<T: Decodable>(_ type: T.Type = T.self) -> T? {
        // As above.
        try? decode(type)
    }
}

extension FrameHeader {
    /// Returns the action from `read`, or a `violation` if the frame is unreadable.
    func action<Action>(
        orElse violation: (String) -> Action, _ read: () throws(CBORError) -> Action
    ) -> Action {
        do {
            return try read()
        } catch {
            return violation("an unreadable \(kind) frame: \(error)")
        }
    }
}
