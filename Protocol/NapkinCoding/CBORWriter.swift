// CBORWriter: a growable byte buffer for encoded values.
//
// Isolation  value, not copyable: one owner.
// Ownership  one raw allocation, freed in deinit.
// Invariant  0 <= used <= capacity; bytes below used are initialized

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
        self.base =
            capacity > 0 ? .allocate(byteCount: capacity, alignment: 16) : Self.noMemory
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
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Opens a gap of `bytes` at `offset`, moving the bytes after it.
    mutating func insertGap(_ bytes: Int, at offset: Int) {
        _ = room(bytes)
        (base + offset + bytes).copyMemory(from: base + offset, byteCount: count - offset)
        used += bytes
    }
}
