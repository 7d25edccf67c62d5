// SingleDecoding: one value being read through Codable.
//
// Isolation  value; lives for one call of decodeContainers(_:)
//
// A type may try several types in turn: each attempt starts at the value's first byte.

struct SingleDecoding: SingleValueDecodingContainer {
    let decoder: ContainerDecoder

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func only<T>(
        _ read: (inout CBORReader) throws(CBORError) -> T
    ) throws(CBORError) -> T {
        decoder.restart()
        let value = try read(&decoder.reader.pointee)
        decoder.end = decoder.reader.pointee.offset
        return value
    }

    func decodeNil() -> Bool {
        decoder.restart()
        guard decoder.reader.pointee.readNull() else { return false }
        decoder.end = decoder.reader.pointee.offset
        return true
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        try only { reader throws(CBORError) in try reader.readBool() }
    }

    func decode(_ type: String.Type) throws -> String {
        try only { reader throws(CBORError) in try reader.readString() }
    }

    func decode(_ type: Double.Type) throws -> Double {
        try only { reader throws(CBORError) in try reader.readDouble() }
    }

    func decode(_ type: Float.Type) throws -> Float {
        try only { reader throws(CBORError) in try reader.readFloat() }
    }

    func decode(_ type: Int.Type) throws -> Int {
        try only { reader throws(CBORError) in try reader.readInteger(Int.self) }
    }

    func decode(_ type: Int8.Type) throws -> Int8 {
        try only { reader throws(CBORError) in try reader.readInteger(Int8.self) }
    }

    func decode(_ type: Int16.Type) throws -> Int16 {
        try only { reader throws(CBORError) in try reader.readInteger(Int16.self) }
    }

    func decode(_ type: Int32.Type) throws -> Int32 {
        try only { reader throws(CBORError) in try reader.readInteger(Int32.self) }
    }

    func decode(_ type: Int64.Type) throws -> Int64 {
        try only { reader throws(CBORError) in try reader.readInteger(Int64.self) }
    }

    func decode(_ type: UInt.Type) throws -> UInt {
        try only { reader throws(CBORError) in try reader.readInteger(UInt.self) }
    }

    func decode(_ type: UInt8.Type) throws -> UInt8 {
        try only { reader throws(CBORError) in try reader.readInteger(UInt8.self) }
    }

    func decode(_ type: UInt16.Type) throws -> UInt16 {
        try only { reader throws(CBORError) in try reader.readInteger(UInt16.self) }
    }

    func decode(_ type: UInt32.Type) throws -> UInt32 {
        try only { reader throws(CBORError) in try reader.readInteger(UInt32.self) }
    }

    func decode(_ type: UInt64.Type) throws -> UInt64 {
        try only { reader throws(CBORError) in try reader.readInteger(UInt64.self) }
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        decoder.restart()
        let value = try decoder.decodeNext(type)
        decoder.end = decoder.reader.pointee.offset
        return value
    }
}
