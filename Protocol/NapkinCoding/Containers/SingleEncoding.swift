// SingleEncoding: one value being written through Codable, alone or for a superclass.
//
// Isolation  value; lives for one call of encodeContainers(_:)

struct SingleEncoding: SingleValueEncodingContainer {
    let encoder: ContainerEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try encoder.beginSingle()
        encoder.writer.writeNull()
    }

    func encode(_ value: Bool) throws {
        try encoder.beginSingle()
        encoder.writer.writeBool(value)
    }

    func encode(_ value: String) throws {
        try encoder.beginSingle()
        encoder.writer.writeString(value)
    }

    func encode(_ value: Double) throws {
        try encoder.beginSingle()
        encoder.writer.writeDouble(value)
    }

    func encode(_ value: Float) throws {
        try encoder.beginSingle()
        encoder.writer.writeFloat(value)
    }

    func encode(_ value: Int) throws {
        try encoder.beginSingle()
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int8) throws {
        try encoder.beginSingle()
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int16) throws {
        try encoder.beginSingle()
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int32) throws {
        try encoder.beginSingle()
        encoder.writer.writeInt(Int64(value))
    }

    func encode(_ value: Int64) throws {
        try encoder.beginSingle()
        encoder.writer.writeInt(value)
    }

    func encode(_ value: UInt) throws {
        try encoder.beginSingle()
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt8) throws {
        try encoder.beginSingle()
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt16) throws {
        try encoder.beginSingle()
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt32) throws {
        try encoder.beginSingle()
        encoder.writer.writeUInt(UInt64(value))
    }

    func encode(_ value: UInt64) throws {
        try encoder.beginSingle()
        encoder.writer.writeUInt(value)
    }

    func encode<T: Encodable>(_ value: T) throws {
        try encoder.beginSingle()
        try encoder.encodeValue(value)
    }
}
