// KeyedDecoding: a map being read through Codable.
//
// Isolation  value; lives for one call of decodeContainers(_:)

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
    private func required<T>(
        _ key: Key, _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T {
        try decoder.required(key.stringValue)
        let value = try read(&decoder.reader.pointee)
        decoder.advance()
        return value
    }

    @inline(__always)
    private func optional<T>(
        _ key: Key, _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T? {
        guard try decoder.find(key.stringValue) else { return nil }
        let isNull = decoder.reader.pointee.readNull()
        let value = isNull ? nil : try read(&decoder.reader.pointee)
        decoder.advance()
        return value
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try required(key) { reader throws(CBORError) in try reader.readBool() }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try required(key) { reader throws(CBORError) in try reader.readString() }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try required(key) { reader throws(CBORError) in try reader.readDouble() }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try required(key) { reader throws(CBORError) in try reader.readFloat() }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try required(key) { reader throws(CBORError) in try reader.readInteger(Int.self) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(Int8.self) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(Int16.self) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(Int32.self) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(Int64.self) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try required(key) { reader throws(CBORError) in try reader.readInteger(UInt.self) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(UInt8.self) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(UInt16.self) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(UInt32.self) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try required(key) { reader throws(CBORError) in try reader.readInteger(UInt64.self) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try optional(key) { reader throws(CBORError) in try reader.readBool() }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try optional(key) { reader throws(CBORError) in try reader.readString() }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try optional(key) { reader throws(CBORError) in try reader.readDouble() }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try optional(key) { reader throws(CBORError) in try reader.readFloat() }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(Int.self) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(Int8.self) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(Int16.self) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(Int32.self) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(Int64.self) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(UInt.self) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(UInt8.self) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(UInt16.self) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(UInt32.self) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try optional(key) { reader throws(CBORError) in try reader.readInteger(UInt64.self) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.required(key.stringValue)
        let value = try decoder.decodeNext(type)
        decoder.advance()
        return value
    }

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
