// ContainerDecoding: the reader's entry to decoding through Codable.
//
// Invariant  cursor is the offset of element currentIndex
//
// A type may try several types in turn: each attempt starts at the value's first byte.

import Glibc

extension CBORReader {
    /// Reads through the containers of Codable, even if the type is `DirectlyCodable`.
    ///
    /// Errors: a `CBORError`. An error of the standard library or of the type itself becomes one;
    /// its offset is then the reader's position, at or after the refused item.
    public mutating func decodeContainers<T: Decodable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        // Bytes are a byte string even without a container around them.
        if T.self == [UInt8].self, let bytes = try ShortCut.decode(type, from: &self) {
            return bytes
        }
        let decoder = ContainerDecoder(reading: self)
        defer { decoder.close() }
        do {
            let value = try T(from: decoder)
            position = try decoder.finish()
            // The type received no keys if they could not be read.
            if let fault = decoder.fault { throw fault }
            return value
        } catch let error as CBORError {
            throw error
        } catch let error as DecodingError {
            // A malformed map looks to its type like a map without keys.
            throw decoder.fault ?? Self.translate(error, at: decoder.reader.pointee.position, type)
        } catch {
            throw CBORError(
                .custom, at: decoder.reader.pointee.position,
                "init(from:) of \(type) threw \(Swift.type(of: error))")
        }
    }

    private static func translate(
        _ error: DecodingError, at offset: Int, _ type: Any.Type
    ) -> CBORError {
        switch error {
        case .keyNotFound(let key, _):
            CBORError(.missingField, at: offset, "\(type) has no field \"\(key.stringValue)\"")
        case .valueNotFound(let wanted, _):
            CBORError(.missingField, at: offset, "null in place of \(wanted) in \(type)")
        case .typeMismatch(_, let context)
        where context.debugDescription.hasPrefix("Invalid number of keys found"),
            .dataCorrupted(let context)
        where context.debugDescription.hasPrefix("Cannot initialize"):
            // The standard library throws this for an enumeration; the code matches direct
            // decoding. The test vectors fail if the library's wording changes.
            CBORError(.unknownCase, at: offset, "no case of a type in \(type) before this byte")
        case .typeMismatch(let wanted, _):
            CBORError(.typeMismatch, at: offset, "\(wanted) refused the item in \(type)")
        case .dataCorrupted:
            CBORError(.custom, at: offset, "a value before this byte is none of \(type)")
        @unknown default:
            CBORError(.custom, at: offset, "\(type) could not be read")
        }
    }

    /// Goes to a position that was passed before, or to the end of memory that is gone.
    @inline(__always)
    mutating func resume(at offset: Int, depth: Int) {
        position = min(offset, end)
        self.depth = depth
    }

    /// Consumes the next text string if it equals `text`; otherwise leaves the reader where it is.
    mutating func matchText(_ text: String) -> Bool {
        var native = text
        return native.withUTF8 { utf8 in
            let length = utf8.count
            // withUTF8 always has an address, even for an empty string.
            let wanted = UnsafeRawPointer(utf8.baseAddress.unsafelyUnwrapped)
            // Longer heads than needed, and malformed ones, are left to the index.
            guard length < 24, remaining > length,
                byte(at: position) == 0x60 | UInt8(truncatingIfNeeded: length),
                memcmp(base + position + 1, wanted, length) == 0
            else { return length >= 24 && matchLong(UnsafeRawBufferPointer(utf8)) }
            position &+= length &+ 1
            return true
        }
    }

    private mutating func matchLong(_ text: UnsafeRawBufferPointer) -> Bool {
        let start = position
        // An error is no match: the index that is built next reports it.
        guard let found = try? readKey(), found.equals(text) else {
            position = start
            return false
        }
        return true
    }

    /// Returns a number below 256 for the key from `start` (its head) to `end`: the hash is cheap,
    /// not strong. An input made to collide costs one scan of the map for each requested key.
    @inline(__always)
    func keyHash(from start: Int, to end: Int) -> Int {
        let length = end &- start
        let first = Int(byte(at: min(start &+ 1, end &- 1)))
        let last = Int(byte(at: end &- 1))
        return (first &+ last &* 7 &+ length &* 29) & 255
    }
}

/// A map being read through Codable.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ContainerDecoder

    var codingPath: [any CodingKey] { [] }

    /// Empty if the map is malformed; `contains(_:)` then returns false, and decoding throws.
    var allKeys: [Key] { decoder.keys().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { decoder.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try decoder.required(key.stringValue)
        guard decoder.reader.pointee.readNull() else { return false }
        decoder.advance()
        return true
    }

    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.required(key.stringValue)
        let value = try decoder.decodeNext(type)
        decoder.advance()
        return value
    }

    @inline(__always)
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard try decoder.find(key.stringValue) else { return nil }
        let isNull = decoder.reader.pointee.readNull()
        let value = isNull ? nil : try decoder.decodeNext(type)
        decoder.advance()
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.child(forKey: key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(forKey: key.stringValue).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder.child(forKey: "super") }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.child(forKey: key.stringValue)
    }
}

/// An array being read through Codable.
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

/// One value being read through Codable.
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
