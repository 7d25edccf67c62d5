// CBORWriter: a growable byte buffer for encoded values.
//
// Isolation  value, not copyable: one owner.
// Ownership  one raw allocation, freed in deinit.
// Invariant  0 <= used <= capacity; bytes below used are initialized;
//            every head is the shortest for its argument; floats keep their own width
// Spec       RFC 8949, section 3; deterministic heads of section 4.2.1

/// A buffer for encoded bytes. Keep one for each connection and empty it with `removeAll()`:
/// encoding then allocates nothing.
public struct CBORWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    /// Bytes of allocated memory.
    @usableFromInline package var capacity: Int
    @usableFromInline var used: Int

    /// Bytes written so far.
    @inlinable public var count: Int { used }

    /// The capacity in bytes above which `removeAll()` releases the memory, so that one large
    /// message does not stay resident with every connection. Chosen: most messages are smaller.
    package static let retainedBytesMax = 262_144

    /// - Parameter capacity: bytes to allocate immediately; 0 allocates none.
    public init(capacity: Int = 256) {
        self.base = capacity > 0 ? .allocate(byteCount: capacity, alignment: 16) : Self.noMemory
        self.capacity = max(capacity, 0)
        self.used = 0
    }

    private static var noMemory: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
    }

    deinit {
        if capacity > 0 { base.deallocate() }
    }

    /// Empties the buffer. Keeps its memory up to `retainedBytesMax`.
    package mutating func removeAll() {
        used = 0
        if capacity > Self.retainedBytesMax {
            base.deallocate()
            base = .allocate(byteCount: 256, alignment: 16)
            capacity = 256
        }
    }

    /// Empties the buffer, and frees its memory if that is at most `bytes` bytes.
    ///
    /// - Returns: whether the buffer has no memory.
    package mutating func removeAll(freeingUpTo bytes: Int) -> Bool {
        used = 0
        guard capacity <= bytes else { return false }
        if capacity > 0 { base.deallocate() }
        base = Self.noMemory
        capacity = 0
        return true
    }

    /// Drops everything from `count` on, which undoes a failed encoding.
    public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count, "truncate(to:) beyond the written bytes")
        self.used = count
    }

    /// Drops this many bytes from the beginning.
    package mutating func removeFirst(_ bytes: Int) {
        precondition(bytes >= 0 && bytes <= count, "removeFirst beyond the written bytes")
        if bytes == used { return removeAll() }
        base.copyMemory(from: base + bytes, byteCount: used - bytes)
        used -= bytes
    }

    /// The written bytes, valid inside `body` only.
    @inlinable
    public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Returns the written bytes from `offset` on.
    package func copyBytes(from offset: Int = 0) -> [UInt8] {
        precondition(offset >= 0 && offset <= count, "copyBytes(from:) beyond the written bytes")
        return Array(UnsafeRawBufferPointer(start: base + offset, count: count - offset))
    }

    /// Makes room for `bytes` more and returns their address. The caller adds to `used`.
    @inlinable @inline(__always)
    mutating func room(_ bytes: Int) -> UnsafeMutableRawPointer {
        if _slowPath(bytes > capacity &- used) { grow(bytes) }
        return base + used
    }

    @inline(never) @usableFromInline
    mutating func grow(_ bytes: Int) {
        let bytesMin = count + bytes
        let grown = max(capacity * 2, bytesMin, 512)
        let new = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
        new.copyMemory(from: base, byteCount: count)
        if capacity > 0 { base.deallocate() }
        base = new
        capacity = grown
    }

    /// Appends a raw integer, as in frame headers, not CBOR.
    @inlinable @inline(__always)
    public mutating func append(littleEndian value: some FixedWidthInteger) {
        let bytes = value.bitWidth / 8
        room(bytes).storeBytes(of: value.littleEndian, as: type(of: value))
        used &+= bytes
    }

    /// Appends as many bytes as `store` must store at the given address.
    @inlinable @inline(__always)
    public mutating func append(byteCount: Int, _ store: (UnsafeMutableRawPointer) -> Void) {
        store(room(byteCount))
        used &+= byteCount
    }

    /// Replaces a raw integer that is already written, such as a length known only afterwards.
    @inlinable
    public mutating func overwrite(littleEndian value: some FixedWidthInteger, at offset: Int) {
        let bytes = value.bitWidth / 8
        precondition(offset >= 0 && offset <= count - bytes, "overwrite beyond the written bytes")
        (base + offset).storeBytes(of: value.littleEndian, as: type(of: value))
    }

    /// Appends bytes as they are, for example an item that is already encoded.
    @inlinable
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        room(bytes.count).copyMemory(from: source, byteCount: bytes.count)
        used &+= bytes.count
    }

    @inlinable
    public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Opens a gap of `bytes` at `offset`, moving the bytes after it.
    mutating func insertGap(_ bytes: Int, at offset: Int) {
        _ = room(bytes)
        (base + offset + bytes).copyMemory(from: base + offset, byteCount: count - offset)
        used += bytes
    }
}

extension CBORWriter {
    /// Bytes of the longest head: initial byte and a 64-bit argument.
    @usableFromInline static var headBytesMax: Int { 9 }

    /// Stores a head for `argument` at `place` and returns its length: 1, 2, 3, 5 or 9 bytes.
    @inlinable @inline(__always)
    static func storeHead(
        _ major: UInt8, _ argument: UInt64, at place: UnsafeMutableRawPointer
    ) -> Int {
        if argument < 24 {
            place.storeBytes(of: major | UInt8(truncatingIfNeeded: argument), as: UInt8.self)
            return 1
        }
        return storeLongHead(major, argument, at: place)
    }

    @inlinable
    static func storeLongHead(
        _ major: UInt8, _ argument: UInt64, at place: UnsafeMutableRawPointer
    ) -> Int {
        if argument <= 0xff {
            place.storeBytes(of: major | 24, as: UInt8.self)
            (place + 1).storeBytes(of: UInt8(truncatingIfNeeded: argument), as: UInt8.self)
            return 2
        }
        if argument <= 0xffff {
            place.storeBytes(of: major | 25, as: UInt8.self)
            let short = UInt16(truncatingIfNeeded: argument)
            (place + 1).storeBytes(of: short.bigEndian, as: UInt16.self)
            return 3
        }
        if argument <= 0xffff_ffff {
            place.storeBytes(of: major | 26, as: UInt8.self)
            let short = UInt32(truncatingIfNeeded: argument)
            (place + 1).storeBytes(of: short.bigEndian, as: UInt32.self)
            return 5
        }
        place.storeBytes(of: major | 27, as: UInt8.self)
        (place + 1).storeBytes(of: argument.bigEndian, as: UInt64.self)
        return 9
    }

    @inlinable @inline(__always)
    mutating func writeHead(_ major: UInt8, _ argument: UInt64) {
        let place = room(Self.headBytesMax)
        used &+= Self.storeHead(major, argument, at: place)
    }

    @inlinable @inline(__always)
    mutating func writeByte(_ byte: UInt8) {
        room(1).storeBytes(of: byte, as: UInt8.self)
        used &+= 1
    }

    @inlinable
    public mutating func writeNull() { writeByte(0xf6) }

    @inlinable
    public mutating func writeBool(_ value: Bool) { writeByte(value ? 0xf5 : 0xf4) }

    /// Starts a map of `count` pairs; as many keys and values must follow.
    @inlinable @inline(__always)
    public mutating func writeMapHeader(_ count: Int) {
        writeHead(0xa0, UInt64(truncatingIfNeeded: count))
    }

    /// Starts an array of `count` elements; as many items must follow.
    @inlinable @inline(__always)
    public mutating func writeArrayHeader(_ count: Int) {
        writeHead(0x80, UInt64(truncatingIfNeeded: count))
    }

    /// Writes a text string known at compile time. Inlined into constant stores.
    @inlinable @inline(__always)
    public mutating func writeKey(_ key: StaticString) {
        let length = key.utf8CodeUnitCount
        let place = room(Self.headBytesMax &+ length)
        let head = Self.storeHead(0x60, UInt64(truncatingIfNeeded: length), at: place)
        (place + head).copyMemory(from: key.utf8Start, byteCount: length)
        used &+= head &+ length
    }

    @inlinable @inline(__always)
    public mutating func writeInt(_ value: Int64) {
        let sign = value &>> 63
        let major = UInt8(truncatingIfNeeded: sign) & 0x20
        writeHead(major, UInt64(bitPattern: value ^ sign))
    }

    @inlinable @inline(__always)
    public mutating func writeUInt(_ value: UInt64) { writeHead(0, value) }

    /// Always writes eight bytes: the width belongs to the type, not to the value.
    @inlinable @inline(__always)
    public mutating func writeDouble(_ value: Double) {
        let place = room(9)
        place.storeBytes(of: 0xfb, as: UInt8.self)
        (place + 1).storeBytes(of: value.bitPattern.bigEndian, as: UInt64.self)
        used &+= 9
    }

    /// Always writes four bytes.
    @inlinable @inline(__always)
    public mutating func writeFloat(_ value: Float) {
        let place = room(5)
        place.storeBytes(of: 0xfa, as: UInt8.self)
        (place + 1).storeBytes(of: value.bitPattern.bigEndian, as: UInt32.self)
        used &+= 5
    }

    @inlinable
    public mutating func writeString(_ value: String) {
        let stored: Void? = value.utf8.withContiguousStorageIfAvailable { utf8 in
            writeText(UnsafeRawBufferPointer(utf8))
        }
        if stored == nil { writeBridgedString(value) }
    }

    /// Writes a text string from UTF-8 bytes, which must be valid: they are not checked.
    @inlinable
    public mutating func writeText(_ utf8: UnsafeRawBufferPointer) { writeRun(0x60, utf8) }

    /// Writes a byte string.
    @inlinable
    public mutating func writeBytes(_ bytes: UnsafeRawBufferPointer) { writeRun(0x40, bytes) }

    @inlinable
    public mutating func writeBytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { writeRun(0x40, $0) }
    }

    @inlinable
    mutating func writeRun(_ major: UInt8, _ bytes: UnsafeRawBufferPointer) {
        let length = bytes.count
        let place = room(Self.headBytesMax &+ length)
        let head = Self.storeHead(major, UInt64(truncatingIfNeeded: length), at: place)
        if let source = bytes.baseAddress {
            (place + head).copyMemory(from: source, byteCount: length)
        }
        used &+= head &+ length
    }

    @inline(never) @usableFromInline
    mutating func writeBridgedString(_ value: String) {
        var native = value
        native.withUTF8 { writeText(UnsafeRawBufferPointer($0)) }
    }
}
