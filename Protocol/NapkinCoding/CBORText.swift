// CBORText: a text string that is still in the reader's memory.
//
// Ownership  borrows; valid only while the reader's buffer is

import Glibc

/// A borrowed key. Compared byte by byte; its UTF-8 is checked when it becomes a `String`.
package struct CBORText: Equatable {
    package let utf8: UnsafeRawBufferPointer

    package static func == (left: CBORText, right: CBORText) -> Bool { left.equals(right.utf8) }

    package static func == (left: CBORText, right: StaticString) -> Bool {
        left.equals(UnsafeRawBufferPointer(start: right.utf8Start, count: right.utf8CodeUnitCount))
    }

    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard utf8.count == other.count else { return false }
        guard let ours = utf8.baseAddress, let theirs = other.baseAddress else { return true }
        return memcmp(ours, theirs, utf8.count) == 0
    }

    /// The text; nil if it is not UTF-8.
    package var string: String? { CBORReader.validated(utf8.assumingMemoryBound(to: UInt8.self)) }
}

extension CBORReader {
    /// Reads the next text string, such as a map's key. Its UTF-8 is not checked.
    package mutating func readKey() throws(CBORError) -> CBORText {
        let length = try readLength(0x60, "a text string as key")
        let utf8 = UnsafeRawBufferPointer(start: base + position, count: length)
        position += length
        return CBORText(utf8: utf8)
    }
}
