// KeyedEncoding: a map being written through Codable.
//
// Isolation  value; lives for one call of encodeContainers(_:)
//
// A nil optional is left out (`encodeIfPresent`), as in generated code.

struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func add(_ key: Key) throws(CBORError) {
        try encoder.add(to: frame, key: key.stringValue)
    }

    func encodeNil(forKey key: Key) throws {
        try add(key)
        encoder.writer.writeNull()
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeBool(value)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeString(value)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeDouble(value)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeFloat(value)
    }

    func encode(_ value: Int, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int8, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int16, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int32, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int64, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeInt(value)
    }

    func encode(_ value: UInt, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt8, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt16, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt32, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt64, forKey key: Key) throws {
        try add(key)
        encoder.writer.writeUInt(value)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try add(key)
        try encoder.encodeValue(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = encoder.openNested(.map, in: frame, key: key.stringValue)
        return KeyedEncodingContainer(KeyedEncoding<Nested>(encoder: encoder, frame: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = encoder.openNested(.array, in: frame, key: key.stringValue)
        return UnkeyedEncoding(encoder: encoder, frame: nested)
    }

    func superEncoder() -> any Encoder { superEncoder(named: "super") }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named key: String) -> any Encoder {
        SuperEncoder(encoder: encoder, frame: encoder.openNested(.value, in: frame, key: key))
    }
}
