// KeyedEncoding: a map being written through Codable.
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

    @inline(__always)
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

    func superEncoder() -> any Encoder { encoder.refuseSuperclass() }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.refuseSuperclass() }
}
