// CBORWriter items: heads, numbers, strings.
//
// Invariant  every head is the shortest for its argument; floats keep their own width
// Spec       RFC 8949, section 3; deterministic heads of section 4.2.1

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
