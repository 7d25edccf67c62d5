// UnkeyedEncoding: an array being written through Codable.

struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.count(of: frame) }

    func encodeNil() throws {
        try encoder.add(to: frame)
        encoder.writer.writeNull()
    }

    @inline(__always)
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

    func superEncoder() -> any Encoder { encoder.refuseSuperclass() }
}
