// ShortString: a string of at most 15 bytes of ASCII, which needs no memory but its own.

/// Such a string's bytes, in two words. Made of a peer's bytes by loads and shifts, the string
/// takes a fraction of the time of one that the standard library validates (measured).
@usableFromInline struct ShortString {
    @usableFromInline var low: UInt64
    @usableFromInline var high: UInt64
    @usableFromInline var length: Int

    /// Takes the `length` bytes, at most 15, before `end`.
    ///
    /// The eight bytes before `end` must be readable, and from `length` 8 on all of the string's.
    @inlinable @inline(__always)
    init(_ length: Int, endingAt end: UnsafeRawPointer) {
        let last = (end - 8).loadUnaligned(as: UInt64.self)
        // Two shifts, since one by 64 bits would be none.
        let unused = UInt64(truncatingIfNeeded: 7 &- (length & 7)) &* 8
        let part = (last &>> 8) &>> unused
        low = length < 8 ? part : (end - length).loadUnaligned(as: UInt64.self)
        high = length < 8 ? 0 : part
        self.length = length
    }

    @inlinable @inline(__always)
    var isASCII: Bool { (low | high) & 0x8080_8080_8080_8080 == 0 }

    /// The string. Call it only for ASCII of at most `bytesMax(_:)`.
    @inlinable @inline(__always)
    var string: String {
        var words = (low, high | Self.mark(length))
        // SAFETY: `bytesMax(_:)` has found that these are the words of such a string, which owns
        // no memory. It is moved, since a copy would be retained.
        return withUnsafeMutableBytes(of: &words) { words in
            words.bindMemory(to: String.self).moveElement(from: 0)
        }
    }

    /// The last byte of a short ASCII string, which tells its length.
    @inlinable @inline(__always)
    static func mark(_ length: Int) -> UInt64 {
        (0xe0 | UInt64(truncatingIfNeeded: length)) &<< 56
    }

    /// Returns the bytes of the longest string that may be made so; -1 if none may.
    @inlinable @inline(__always)
    static func bytesMax(_ limits: CBORLimits) -> Int {
        // The compiler knows the words of a literal: it compares constants.
        let isKnown = withUnsafeBytes(of: "little endian") { words in
            words.count == 16 && words.load(as: UInt64.self) == 0x6520_656c_7474_696c
                && words.load(fromByteOffset: 8, as: UInt64.self) == 0x6e61_6964_6e | mark(13)
        }
        return isKnown ? min(15, limits.stringBytesMax) : -1
    }
}
