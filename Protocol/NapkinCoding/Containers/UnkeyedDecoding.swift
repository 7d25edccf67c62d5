// UnkeyedDecoding: an array being read through Codable.
//
// Invariant  cursor is the offset of element currentIndex

struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: ContainerDecoder
    private let elements: Int
    private var cursor: Int
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements }
    var isAtEnd: Bool { currentIndex >= elements }

    init(_ decoder: ContainerDecoder) throws(CBORError) {
        self.decoder = decoder
        self.elements = try decoder.openArray()
        self.cursor = decoder.reader.pointee.offset
        if elements == 0 { decoder.end = cursor }
    }

    @inline(__always)
    private func begin() throws(CBORError) {
        decoder.resume(at: cursor)
        guard currentIndex < elements else {
            throw decoder.reader.pointee.failure(.missingField, "no element \(currentIndex)")
        }
    }

    @inline(__always)
    private mutating func advance() {
        cursor = decoder.reader.pointee.offset
        currentIndex += 1
        if currentIndex == elements { decoder.end = cursor }
    }

    mutating func decodeNil() throws -> Bool {
        try begin()
        guard decoder.reader.pointee.readNull() else { return false }
        advance()
        return true
    }

    @inline(__always)
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try begin()
        let value = try decoder.decodeNext(type)
        advance()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try child().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try child().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try child() }

    private mutating func child() throws(CBORError) -> ContainerDecoder {
        try begin()
        let child = decoder.child(at: cursor)
        try decoder.reader.pointee.skip()
        advance()
        return child
    }
}
