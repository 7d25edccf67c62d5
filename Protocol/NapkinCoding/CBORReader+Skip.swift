// CBORReader skip: skips one item of any type and checks that it is well formed.
//
// Spec       RFC 8949, section 3 and appendix C (well-formedness)

extension CBORReader {
    /// Skips the next item of any type, including tags (a tag is a level of depth).
    ///
    /// `limits.depthMax` bounds the recursion. Checks lengths, depth and reserved encodings; does
    /// not check UTF-8 or duplicate keys.
    package mutating func skip() throws(CBORError) {
        let initial = try peekByte()
        switch initial >> 5 {
        case 0, 1:
            _ = try readArgument(initial)
        case 2:
            position &+= try readLength(0x40, "a byte string")
        case 3:
            position &+= try readLength(0x60, "a text string")
        case 4:
            try skipItems(try readArrayHeader())
        case 5:
            try skipItems(try readMapHeader() * 2)
        case 6:
            _ = try readArgument(initial)
            try skipItems(1)
        default:
            try skipSimple(initial)
        }
    }

    /// Skips the items inside an array, map or tag whose head has been read.
    private mutating func skipItems(_ count: Int) throws(CBORError) {
        try enter()
        for _ in 0..<count where !skipShort() { try skip() }
        leave()
    }

    /// Skips a number or a string whose head is one byte, as most are; for any other item, does
    /// nothing and returns false.
    private mutating func skipShort() -> Bool {
        guard position < end else { return false }
        let initial = byte(at: position)
        let info = initial & 0x1f
        guard info < 24, initial < 0x80 else { return false }
        let count = 1 &+ (initial < 0x40 ? 0 : Int(info))
        guard count <= remaining else { return false }
        position &+= count
        return true
    }

    private mutating func skipSimple(_ initial: UInt8) throws(CBORError) {
        let start = position
        let argument = try readArgument(initial)
        // Section 3.3: a simple value below 32 has no two-byte form.
        if initial == 0xf8, argument < 32 {
            position = start
            throw failure(.reserved, "a simple value in a longer form than allowed")
        }
    }

    /// Returns the bytes of the next item, borrowed, after skipping and checking it like `skip()`.
    package mutating func rawItem() throws(CBORError) -> UnsafeRawBufferPointer {
        let start = position
        try skip()
        return UnsafeRawBufferPointer(start: base + start, count: position - start)
    }

    /// Moves to an offset that this reader has passed before.
    mutating func seek(_ offset: Int) {
        precondition(offset >= 0 && offset <= end, "seek outside the memory")
        position = offset
    }
}
