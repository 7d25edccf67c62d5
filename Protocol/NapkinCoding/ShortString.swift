// ShortString: a string of at most 15 bytes of ASCII, which needs no memory but its own.
//
// Layer      sans-I/O core.
// Isolation  value

/// Such a string's bytes, in two words. Made of a peer's bytes by loads and shifts, the string
/// takes a fraction of the instructions of one that is validated (measured).
@usableFromInline struct ShortString {
    var low: UInt64
    var high: UInt64
    var length: Int

    /// Takes the `length` bytes, at most 15, before `end`.
    ///
    /// The eight bytes before `end` must be readable, and from `length` 8 on all of the string's.
    @inline(__always)
    init(_ length: Int, endingAt end: UnsafeRawPointer) {
        let last = (end - 8).loadUnaligned(as: UInt64.self)
        // Two shifts, since one by 64 bits would be none.
        let unused = UInt64(truncatingIfNeeded: 7 &- (length & 7)) &* 8
        let part = (last &>> 8) &>> unused
        low = length < 8 ? part : (end - length).loadUnaligned(as: UInt64.self)
        high = length < 8 ? 0 : part
        self.length = length
    }

    @inline(__always)
    var isASCII: Bool { (low | high) & 0x8080_8080_8080_8080 == 0 }

    /// The string. Call it only for ASCII of at most `bytesMax(_:)`.
    @inline(__always)
    var string: String {
        // The standard library keeps strings of this capacity in themselves.
        String(unsafeUninitializedCapacity: 15) { bytes in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            bytes.storeBytes(of: low, as: UInt64.self)
            // Seven bytes, of which one is stored twice.
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: high), toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: high &>> 24), toByteOffset: 11, as: UInt32.self)
            return length
        }
    }

    /// Returns the bytes of the longest string that may be made so; -1 if none may.
    @inlinable @inline(__always)
    static func bytesMax(_ limits: CBORLimits) -> Int {
        #if _endian(little)
            min(15, limits.stringBytesMax)
        #else
            -1
        #endif
    }
}
