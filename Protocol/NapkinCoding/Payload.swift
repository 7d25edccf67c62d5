// Payload: the encoded arguments or result of one message.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

/// Writes one message's arguments or result.
public typealias PayloadEncoder = (inout CBORWriter) throws(CBORError) -> Void

/// A message's encoded arguments or result, owned.
///
/// Shape: nothing for no value, the value's CBOR item for one value, and an array with one item for
/// each argument, in the order of declaration, for several arguments.
public struct Payload: Hashable, Sendable {
    public var bytes: [UInt8]

    @inlinable
    public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Encodes a payload with `encode`.
    ///
    /// Throws the errors of `encode`, and `lengthExceeded` if a frame has no room for it (16 MiB).
    public init(encoding encode: PayloadEncoder) throws(CBORError) {
        var writer = CBORWriter()
        try encode(&writer)
        guard writer.count <= Limits.messageBytesMax else {
            throw CBORError(
                .lengthExceeded,
                "\(writer.count) bytes, where one message has at most \(Limits.messageBytesMax)")
        }
        bytes = writer.copyBytes()
    }

    /// Decodes one value that fills the whole payload.
    ///
    /// Throws `CBORError` if the bytes are not a `T`; no part of the value is kept then.
    @inlinable
    public func decode<T: DirectlyCodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        try withReader { (reader) throws(CBORError) in try reader.read(type) }
    }

    /// Decodes one value of a type that is only `Codable`.
    @_disfavoredOverload
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        try withReader { (reader) throws(CBORError) in try reader.read(type) }
    }

    @inlinable @inline(__always)
    public func withReader<T>(
        _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CBORError) in
            var reader = CBORReader(UnsafeRawBufferPointer(buffer))
            let value = try body(&reader)
            try reader.expectEnd()
            return value
        }
    }
}
