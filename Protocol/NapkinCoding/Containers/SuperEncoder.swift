// SuperEncoder: the encoder that a container hands to a superclass.
//
// Isolation  value; lives for one call of encodeContainers(_:)

struct SuperEncoder: Encoder {
    let encoder: ContainerEncoder
    let frame: ContainerEncoder.FrameID

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let inner = encoder.openInside(frame, .map)
        return KeyedEncodingContainer(KeyedEncoding(encoder: encoder, frame: inner))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedEncoding(encoder: encoder, frame: encoder.openInside(frame, .array))
    }

    /// Refuses, since a superclass is a map or an array.
    func singleValueContainer() -> any SingleValueEncodingContainer {
        encoder.fault = CBORError(.unsupported, "a single value in a super encoder")
        return SingleEncoding(encoder: encoder)
    }
}
