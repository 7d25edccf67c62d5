// CacheFile: an image's file on the disk: its key, and a checksum that shows that it is whole.

/// The bytes of one file.
///
/// | bytes | what |
/// | --- | --- |
/// | 8 | `NKIMAGE1` |
/// | 8 | checksum of all that follows (FNV-1a, big-endian) |
/// | 2 | bytes of the key (big-endian) |
/// | … | the key, UTF-8 |
/// | … | the image |
package nonisolated struct CacheFile: Equatable, Sendable {
    private static let magic = Array("NKIMAGE1".utf8)
    private static let headBytes = 18

    package let key: String
    package let image: [UInt8]

    package init(key: String, image: [UInt8]) {
        self.key = key
        self.image = image
    }

    /// Returns `nil` for a file that is not whole, or never was one.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headBytes, bytes.starts(with: Self.magic),
            Self.number(bytes[8..<16]) == FNV.hash(bytes[16...])
        else { return nil }
        let end = Self.headBytes + Int(Self.number(bytes[16..<18]))
        guard end <= bytes.count,
            let key = String(validating: bytes[Self.headBytes..<end], as: UTF8.self)
        else { return nil }
        self.init(key: key, image: Array(bytes[end...]))
    }

    package var bytes: [UInt8] {
        let name = Array(key.utf8)
        precondition(name.count <= Int(UInt16.max), "a key of \(name.count) bytes")
        let rest = Array(Self.bytes(UInt64(name.count))[6...]) + name + image
        return Self.magic + Self.bytes(FNV.hash(rest[...])) + rest
    }

    /// Returns the name of a key's file. The file contains its key, since two keys may share a
    /// name.
    package static func name(of key: String) -> String {
        let digits = String(FNV.hash(Array(key.utf8)[...]), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".image"
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// FNV-1a, 64 bits: it detects a damaged file, and does not protect against attacks.
private nonisolated enum FNV {
    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
