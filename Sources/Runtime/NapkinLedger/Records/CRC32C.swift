// CRC32C: the checksum of a ledger's stored bytes.
//
// Spec       Protocol/LEDGER.md; RFC 3720, section 12.1 and appendix B.4

/// An incremental checksum: CRC-32C, the polynomial 0x1EDC6F41, reflected.
struct CRC32C: Sendable {
    private var state: UInt32 = 0xFFFF_FFFF

    /// The checksum of all added bytes.
    var value: UInt32 { ~state }

    /// Row 0 has the remainder of each byte; row n, of the byte with n zeros after it.
    private static let table: [UInt32] = {
        var table = (0..<UInt32(256)).map { byte in
            (0..<8).reduce(byte) { rest, _ in
                rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0x82F6_3B78
            }
        }
        for index in 256..<2048 {
            let before = table[index - 256]
            table.append(before >> 8 ^ table[Int(before & 0xFF)])
        }
        return table
    }()

    /// Adds bytes, eight at a time: each has a separate row, so that no lookup waits for another.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = state
        let whole = bytes.count & ~7
        Self.table.withUnsafeBufferPointer { table in
            for offset in stride(from: 0, to: whole, by: 8) {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ rest
                let high = UInt32(truncatingIfNeeded: word >> 32)
                rest =
                    table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
                    ^ table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
                rest ^=
                    table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
                    ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
            }
            for byte in bytes[whole...] {
                rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)]
            }
        }
        state = rest
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    /// Adds a number as its eight bytes, the lowest first.
    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { add($0) }
    }

    /// Returns the checksum of some bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.add(bytes)
        return checksum.value
    }

    /// Returns the checksum of some numbers, as stores keep it.
    static func of(numbers: some Sequence<UInt64>) -> UInt64 {
        var checksum = CRC32C()
        for number in numbers { checksum.add(number) }
        return UInt64(checksum.value)
    }
}
