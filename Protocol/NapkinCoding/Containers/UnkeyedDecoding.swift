// UnkeyedDecoding: an array being read through Codable.
//
// Isolation  value; lives for one call of decodeContainers(_:)
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

    @inline(__always)
    private mutating func next<T>(
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T {
        try begin()
        let value = try read(&decoder.reader.pointee)
        advance()
        return value
    }

    mutating func decodeNil() throws -> Bool {
        try begin()
        guard decoder.reader.pointee.readNull() else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try next { reader throws(CBORError) in try reader.readBool() }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try next { reader throws(CBORError) in try reader.readString() }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try next { reader throws(CBORError) in try reader.readDouble() }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try next { reader throws(CBORError) in try reader.readFloat() }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try next { reader throws(CBORError) in try reader.readInteger(Int.self) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try next { reader throws(CBORError) in try reader.readInteger(Int8.self) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try next { reader throws(CBORError) in try reader.readInteger(Int16.self) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try next { reader throws(CBORError) in try reader.readInteger(Int32.self) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try next { reader throws(CBORError) in try reader.readInteger(Int64.self) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try next { reader throws(CBORError) in try reader.readInteger(UInt.self) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try next { reader throws(CBORError) in try reader.readInteger(UInt8.self) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try next { reader throws(CBORError) in try reader.readInteger(UInt16.self) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try next { reader throws(CBORError) in try reader.readInteger(UInt32.self) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try next { reader throws(CBORError) in try reader.readInteger(UInt64.self) }
    }

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
