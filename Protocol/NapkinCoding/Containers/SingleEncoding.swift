// SingleEncoding: one value being written through Codable, alone or for a superclass.

struct SingleEncoding: SingleValueEncodingContainer {
    let encoder: ContainerEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        try encoder.beginSingle()
        encoder.writer.writeNull()
    }

    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        try encoder.beginSingle()
        try encoder.encodeValue(value)
    }
}
