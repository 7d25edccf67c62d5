// ContainerDecoding: the reader's entry to decoding through Codable.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
