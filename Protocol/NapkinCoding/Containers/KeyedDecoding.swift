// KeyedDecoding: a map being read through Codable.

struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ContainerDecoder

    var codingPath: [any CodingKey] { [] }

    /// Empty if the map is malformed; `contains(_:)` then returns false, and decoding throws.
    var allKeys: [Key] {
        decoder.keys().compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { decoder.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try decoder.required(key.stringValue)
        guard decoder.reader.pointee.readNull() else { return false }
        decoder.advance()
        return true
    }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.required(key.stringValue)
        let value = try decoder.decodeNext(type)
        decoder.advance()
        return value
    }

    @inline(__always)
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard try decoder.find(key.stringValue) else { return nil }
        let isNull = decoder.reader.pointee.readNull()
        let value = isNull ? nil : try decoder.decodeNext(type)
        decoder.advance()
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.child(forKey: key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(forKey: key.stringValue).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder.child(forKey: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.child(forKey: key.stringValue)
    }
}
