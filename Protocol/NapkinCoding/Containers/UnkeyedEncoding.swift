// UnkeyedEncoding: an array being written through Codable.
//
// Isolation  value; lives for one call of encodeContainers(_:)

struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count(of: frame) }

    func encodeNil() throws {
        try encoder.add(to: frame)
        encoder.writer.writeNull()
    }

    func encode(_ value: Bool) throws {
        try encoder.add(to: frame)
        encoder.writer.writeBool(value)
    }

    func encode(_ value: String) throws {
        try encoder.add(to: frame)
        encoder.writer.writeString(value)
    }

    func encode(_ value: Double) throws {
        try encoder.add(to: frame)
        encoder.writer.writeDouble(value)
    }

    func encode(_ value: Float) throws {
        try encoder.add(to: frame)
        encoder.writer.writeFloat(value)
    }

    func encode(_ value: Int) throws {
        try encoder.add(to: frame)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int8) throws {
        try encoder.add(to: frame)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int16) throws {
        try encoder.add(to: frame)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int32) throws {
        try encoder.add(to: frame)
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int64) throws {
        try encoder.add(to: frame)
        encoder.writer.writeInt(value)
    }

    func encode(_ value: UInt) throws {
        try encoder.add(to: frame)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt8) throws {
        try encoder.add(to: frame)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt16) throws {
        try encoder.add(to: frame)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt32) throws {
        try encoder.add(to: frame)
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt64) throws {
        try encoder.add(to: frame)
        encoder.writer.writeUInt(value)
    }

    func encode<T: Encodable>(_ value: T) throws {
        try encoder.add(to: frame)
        try encoder.encodeValue(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        let nested = encoder.openNested(.map, in: frame)
        return KeyedEncodingContainer(KeyedEncoding<Nested>(encoder: encoder, frame: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder: encoder, frame: encoder.openNested(.array, in: frame))
    }

    func superEncoder() -> any Encoder {
        SuperEncoder(encoder: encoder, frame: encoder.openNested(.value, in: frame))
    }
}
