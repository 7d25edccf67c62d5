// CBORReader: a cursor over encoded bytes that its caller owns.
//
// Ownership  borrows its memory; valid only while the caller's buffer is
// Invariant  0 <= position <= end; 0 <= depth <= limits.depthMax.
//            Before it has read the elements for which it allocates, a reader never allocates more
//            than `reserveFactor` times the bytes of the payload.
// Spec       RFC 8949, section 3 and appendix C (well-formedness)

/// Reads CBOR items one after another from borrowed memory, without an intermediate tree.
///
/// Accepted: definite lengths only; heads longer than needed; no tags, except in `skip()`.
public struct CBORReader {
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline let end: Int
    @usableFromInline var position: Int
    @usableFromInline var depth: Int
    /// Bytes that may still be reserved for declared array elements.
    @usableFromInline var reservable: Int
    @usableFromInline package let limits: CBORLimits

    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, limits: .standard) }

    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits) {
        // An empty buffer may have no address. Nothing is loaded when end is 0.
        self.base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        self.end = bytes.count
        self.position = 0
        self.depth = 0
        let (reservable, overflow) = bytes.count.multipliedReportingOverflow(
            by: CBORLimits.reserveFactor)
        self.reservable = overflow ? Int.max : reservable
        self.limits = limits
    }

    /// Bytes from the start of the memory to the next item.
    @inlinable public var offset: Int { position }

    @inlinable public var isAtEnd: Bool { position == end }

    /// Bytes that have not been read.
    @inlinable @inline(__always) var remaining: Int { end &- position }

    /// Throws `trailingBytes` unless everything has been read.
    @inlinable @inline(__always)
    public func expectEnd() throws(CBORError) {
        if _slowPath(position != end) { throw trailing() }
    }

    @inline(never) @usableFromInline
    func trailing() -> CBORError {
        CBORError(.trailingBytes, at: position, "\(end - position) bytes after the last item")
    }

    mutating func failure(_ code: CBORError.Code, _ detail: String) -> CBORError {
        CBORError(code, at: position, detail)
    }

    // MARK: Heads

    @inlinable @inline(__always)
    func byte(at offset: Int) -> UInt8 { base.load(fromByteOffset: offset, as: UInt8.self) }

    /// Returns the initial byte of the next item: the upper three bits are the major type.
    @inlinable @inline(__always)
    mutating func peekByte() throws(CBORError) -> UInt8 {
        if _slowPath(position >= end) { throw truncated() }
        return byte(at: position)
    }

    /// Reads the argument of the head at `position`, whose initial byte is known.
    @inlinable @inline(__always)
    mutating func readArgument(_ initial: UInt8) throws(CBORError) -> UInt64 {
        let info = initial & 0x1f
        if _fastPath(info < 24) {
            position &+= 1
            return UInt64(truncatingIfNeeded: info)
        }
        return try readLongArgument(info)
    }

    @inline(never) @usableFromInline
    mutating func readLongArgument(_ info: UInt8) throws(CBORError) -> UInt64 {
        try readArgumentBytes(info)
    }

    @inline(__always)
    mutating func readArgumentBytes(_ info: UInt8) throws(CBORError) -> UInt64 {
        let start = position &+ 1
        switch info {
        case 24:
            guard remaining > 1 else { break }
            position = start &+ 1
            return UInt64(truncatingIfNeeded: byte(at: start))
        case 25:
            guard remaining > 2 else { break }
            position = start &+ 2
            let value = base.loadUnaligned(fromByteOffset: start, as: UInt16.self)
            return UInt64(truncatingIfNeeded: UInt16(bigEndian: value))
        case 26:
            guard remaining > 4 else { break }
            position = start &+ 4
            let value = base.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            return UInt64(truncatingIfNeeded: UInt32(bigEndian: value))
        case 27:
            guard remaining > 8 else { break }
            position = start &+ 8
            return UInt64(bigEndian: base.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        default: throw refusedHead(info)
        }
        throw truncated()
    }

    /// Reads the head of an item of one major type.
    @inlinable @inline(__always)
    mutating func readHead(_ major: UInt8, _ wanted: StaticString) throws(CBORError) -> UInt64 {
        let initial = try peekByte()
        guard initial & 0xe0 == major else { throw mismatch(wanted) }
        return try readArgument(initial)
    }

    /// Reads the head of a text or byte string. Its bytes exist and are within the limit.
    @inlinable @inline(__always)
    mutating func readLength(_ major: UInt8, _ wanted: StaticString) throws(CBORError) -> Int {
        let length = try readHead(major, wanted)
        guard length <= UInt64(truncatingIfNeeded: remaining) else { throw truncated() }
        let bytes = Int(truncatingIfNeeded: length)
        guard bytes <= limits.stringBytesMax else { throw tooLong(bytes, "bytes of string") }
        return bytes
    }

    /// Returns the number of pairs; their keys and values follow. Does not take a level of depth.
    @inlinable @inline(__always)
    public mutating func readMapHeader() throws(CBORError) -> Int {
        let count = try readHead(0xa0, "a map")
        // A pair takes two bytes or more, so a larger count cannot be satisfied.
        guard count <= UInt64(truncatingIfNeeded: remaining) / 2 else { throw truncated() }
        let pairs = Int(truncatingIfNeeded: count)
        guard pairs <= limits.mapEntriesMax else { throw tooLong(pairs, "pairs of a map") }
        return pairs
    }

    /// Returns the number of elements, at most the remaining bytes. Does not take a level of depth.
    @inlinable @inline(__always)
    public mutating func readArrayHeader() throws(CBORError) -> Int {
        let count = try readHead(0x80, "an array")
        guard count <= UInt64(truncatingIfNeeded: remaining) else { throw truncated() }
        let elements = Int(truncatingIfNeeded: count)
        guard elements <= limits.arrayElementsMax else {
            throw tooLong(elements, "elements of an array")
        }
        return elements
    }

    /// Goes one level down. In a successful decode, every `enter()` has its `leave()`.
    @inlinable @inline(__always)
    public mutating func enter() throws(CBORError) {
        guard depth < limits.depthMax else { throw tooDeep() }
        depth &+= 1
    }

    @inlinable @inline(__always)
    public mutating func leave() { depth &-= 1 }
}

extension CBORReader {
    /// Skips the next item of any type, including tags (a tag is a level of depth).
    ///
    /// `limits.depthMax` bounds the recursion. Checks lengths, depth and reserved encodings; does
    /// not check UTF-8 or duplicate keys.
    package mutating func skip() throws(CBORError) {
        let initial = try peekByte()
        switch initial >> 5 {
        case 0, 1: _ = try readArgument(initial)
        case 2: position &+= try readLength(0x40, "a byte string")
        case 3: position &+= try readLength(0x60, "a text string")
        case 4: try skipItems(try readArrayHeader())
        case 5: try skipItems(try readMapHeader() * 2)
        case 6:
            _ = try readArgument(initial)
            try skipItems(1)
        default: try skipSimple(initial)
        }
    }

    /// Skips the items inside an array, map or tag whose head has been read.
    private mutating func skipItems(_ count: Int) throws(CBORError) {
        try enter()
        for _ in 0..<count where !skipShort() { try skip() }
        leave()
    }

    /// Skips a number or a string with a one-byte head, as most have; for any other item, does
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
}

// The errors of reading, out of line so that the fast paths stay small. They are mutating only so
// that they take the reader's address: a call with a copy makes the optimizer copy the reader at
// each access, which doubled the decoding time (measured).
extension CBORReader {
    @inline(never) @usableFromInline
    mutating func truncated() -> CBORError { failure(.truncated, "the input ends inside an item") }

    @inline(never) @usableFromInline
    mutating func mismatch(_ wanted: StaticString) -> CBORError {
        if position < end, byte(at: position) >> 5 == 6 {
            return failure(.unsupported, "wanted \(wanted), found a tag")
        }
        return failure(.typeMismatch, "wanted \(wanted), found \(peekType()?.name ?? "nothing")")
    }

    @inline(never) @usableFromInline
    mutating func noBool() -> CBORError { position < end ? mismatch("a boolean") : truncated() }

    @inline(never) @usableFromInline
    mutating func refusedHead(_ info: UInt8) -> CBORError {
        info == 31
            ? failure(.indefiniteLength, "an item of indefinite length or a break")
            : failure(.reserved, "additional information \(info) is reserved")
    }

    @inline(never) @usableFromInline
    mutating func tooLong(_ count: Int, _ what: StaticString) -> CBORError {
        failure(.lengthExceeded, "\(count) \(what) are more than the limit")
    }

    @inline(never) @usableFromInline
    mutating func tooDeep() -> CBORError {
        failure(.depthExceeded, "more than \(limits.depthMax) levels of nesting")
    }

    @inline(never) @usableFromInline
    mutating func outOfRange(_ type: Any.Type) -> CBORError {
        failure(.outOfRange, "a number that does not fit \(type)")
    }

    @inline(never) @usableFromInline
    mutating func notUTF8() -> CBORError {
        failure(.invalidUTF8, "a text string that is not UTF-8")
    }

    @inline(never) @usableFromInline
    mutating func duplicate(_ key: StaticString) -> CBORError {
        failure(.duplicateKey, "key \"\(key)\" twice in one map")
    }

    @inline(never) @usableFromInline
    mutating func duplicateEntry() -> CBORError {
        failure(.duplicateKey, "the key before this value twice in one map")
    }

    /// Returns the error that generated code throws for a field that was not in the map.
    @inline(never)
    public mutating func missingField(_ name: StaticString, of type: StaticString) -> CBORError {
        failure(.missingField, "\(type) has no field \"\(name)\" before this byte")
    }

    /// Returns the error that generated code throws for a map that names no case, or for an unknown
    /// raw value.
    @inline(never)
    public mutating func unknownCase(of type: StaticString) -> CBORError {
        failure(.unknownCase, "no case of \(type) before this byte")
    }

    @inline(never) @usableFromInline
    mutating func twoCases(_ key: StaticString) -> CBORError {
        failure(.unknownCase, "case \"\(key)\" follows another case in one map")
    }

    @inline(never) @usableFromInline
    mutating func unknownRawValue(of type: Any.Type) -> CBORError {
        failure(.unknownCase, "the raw value before this byte is no case of \(type)")
    }
}

/// The limits above which a reader refuses. Every number was chosen, not measured.
public struct CBORLimits: Equatable, Sendable {
    /// Levels of nested arrays, maps and tags. They bound the recursion of decoding, and with it
    /// the stack: 64 levels of a generated decoder take less than 64 KiB.
    @usableFromInline package var depthMax: Int
    /// Key-value pairs of one map. They bound the index that out-of-order lookup builds.
    @usableFromInline package var mapEntriesMax: Int
    /// Elements of one array.
    @usableFromInline package var arrayElementsMax: Int
    /// Bytes of one text or byte string.
    @usableFromInline package var stringBytesMax: Int

    /// Unknown keys of one map that direct decoding checks for repetition. Each costs a scan of the
    /// map, so the number is small. Decoding through Codable tracks all keys.
    @usableFromInline package static let unknownKeysTracked = 16

    /// Bytes that may be reserved for the elements of all collections, per byte of the payload.
    @usableFromInline package static let reserveFactor = 16

    /// The standard limits: 64 levels, 65,536 pairs, 1,048,576 elements, 16 MiB in one string.
    @usableFromInline package static let standard = CBORLimits()

    @inlinable
    public init(
        depthMax: Int = 64, mapEntriesMax: Int = 65_536, arrayElementsMax: Int = 1_048_576,
        stringBytesMax: Int = 16_777_216
    ) {
        self.depthMax = depthMax
        self.mapEntriesMax = mapEntriesMax
        self.arrayElementsMax = arrayElementsMax
        self.stringBytesMax = stringBytesMax
    }
}
