// SingleDecoding: one value being read through Codable.
//
// A type may try several types in turn: each attempt starts at the value's first byte.

struct SingleDecoding: SingleValueDecodingContainer {
    let decoder: ContainerDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        decoder.restart()
        guard decoder.reader.pointee.readNull() else { return false }
        decoder.end = decoder.reader.pointee.offset
        return true
    }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        decoder.restart()
        let value = try decoder.decodeNext(type)
        decoder.end = decoder.reader.pointee.offset
        return value
    }
}
