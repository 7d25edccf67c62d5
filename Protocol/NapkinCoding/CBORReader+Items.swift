// CBORReader items: numbers, strings, simple values.
//
// Spec       RFC 8949, section 3.3 and appendix D (half floats)

extension CBORReader {
    package enum ItemType: Sendable, Equatable {
        case unsigned, negative, bytes, text, array, map, tag, bool, null, undefined, float, simple

        var name: StaticString {
            switch self {
            case .unsigned, .negative: "an integer"
            case .bytes: "a byte string"
            case .text: "a text string"
            case .array: "an array"
            case .map: "a map"
            case .tag: "a tag"
            case .bool: "a boolean"
            case .null: "null"
            case .undefined: "undefined"
            case .float: "a float"
            case .simple: "a simple value"
            }
        }
    }

    /// Returns the type of the next item, nil at the end. Reads only its first byte.
    package func peekType() -> ItemType? {
        guard position < end else { return nil }
        let initial = byte(at: position)
        switch initial >> 5 {
        case 0: return .unsigned
        case 1: return .negative
        case 2: return .bytes
        case 3: return .text
        case 4: return .array
        case 5: return .map
        case 6: return .tag
        default: break
        }
        switch initial {
        case 0xf4, 0xf5: return .bool
        case 0xf6: return .null
        case 0xf7: return .undefined
        case 0xf9, 0xfa, 0xfb: return .float
        default: return .simple
        }
    }

    /// Consumes null if it comes next. Undefined is not null.
    @inlinable @inline(__always)
    public mutating func readNull() -> Bool {
        guard position < end, byte(at: position) == 0xf6 else { return false }
        position &+= 1
        return true
    }

    @inlinable @inline(__always)
    public mutating func readBool() throws(CBORError) -> Bool {
        if _fastPath(position < end) {
            let initial = byte(at: position)
            if _fastPath(initial & 0xfe == 0xf4) {
                position &+= 1
                return initial == 0xf5
            }
        }
        throw noBool()
    }

    /// Reads an integer of any width, or a float that is exactly that integer.
    @inlinable @inline(__always)
    public mutating func readInteger<T: FixedWidthInteger>(_ type: T.Type) throws(CBORError) -> T {
        if _fastPath(position < end) {
            let initial = byte(at: position)
            if initial < 24 {
                position &+= 1
                return T(truncatingIfNeeded: initial)
            }
        }
        // Not generic, so that they are compiled once.
        if T.isSigned || T.bitWidth < 64 {
            let min = Int64(truncatingIfNeeded: T.min)
            let max = Int64(truncatingIfNeeded: T.max)
            return T(truncatingIfNeeded: try readLongInteger(min, max, type))
        }
        return T(truncatingIfNeeded: try readLongUnsigned(type))
    }

    @inline(never) @usableFromInline
    mutating func readLongInteger(
        _ min: Int64, _ max: Int64, _ type: Any.Type
    ) throws(CBORError) -> Int64 {
        let start = position
        let initial = try peekByte()
        if _fastPath(initial < 0x40) {
            let info = initial & 0x1f
            let argument: UInt64
            if _slowPath(info < 24) {
                position &+= 1
                argument = UInt64(truncatingIfNeeded: info)
            } else {
                argument = try readArgumentBytes(info)
            }
            // All ones for a negative number, whose argument is its complement.
            let sign = 0 &- Int64(truncatingIfNeeded: initial &>> 5)
            let value = Int64(truncatingIfNeeded: argument) ^ sign
            if _fastPath(argument <= UInt64(Int64.max) && value >= min && value <= max) {
                return value
            }
        } else if let value = Int64(exactly: try readIntegralFloat()), value >= min, value <= max {
            return value
        }
        position = start
        throw outOfRange(type)
    }

    @inline(never) @usableFromInline
    mutating func readLongUnsigned(_ type: Any.Type) throws(CBORError) -> UInt64 {
        let start = position
        let initial = try peekByte()
        if initial < 0x40 {
            let argument = try readArgument(initial)
            if initial < 0x20 { return argument }
        } else if let value = UInt64(exactly: try readIntegralFloat()) {
            return value
        }
        position = start
        throw outOfRange(type)
    }

    private mutating func readIntegralFloat() throws(CBORError) -> Double {
        guard byte(at: position) >= 0xf9, byte(at: position) <= 0xfb else {
            throw mismatch("an integer")
        }
        return try readFloatItem()
    }

    @inlinable public mutating func readInt() throws(CBORError) -> Int { try readInteger(Int.self) }

    /// Reads a float of any width, or an integer, rounded to the nearest double.
    @inlinable @inline(__always)
    public mutating func readDouble() throws(CBORError) -> Double {
        if remaining >= 9, byte(at: position) == 0xfb {
            let bits = base.loadUnaligned(fromByteOffset: position &+ 1, as: UInt64.self)
            position &+= 9
            return Double(bitPattern: UInt64(bigEndian: bits))
        }
        return try readShortDouble()
    }

    @inline(never) @usableFromInline
    mutating func readShortDouble() throws(CBORError) -> Double {
        let initial = try peekByte()
        if initial < 0x40 {
            let argument = try readArgument(initial)
            return initial < 0x20 ? Double(argument) : -1 - Double(argument)
        }
        return try readFloatItem()
    }

    /// Reads like `readDouble()`, rounded; a finite number beyond Float is refused.
    @inlinable @inline(__always)
    public mutating func readFloat() throws(CBORError) -> Float {
        if remaining >= 5, byte(at: position) == 0xfa {
            let bits = base.loadUnaligned(fromByteOffset: position &+ 1, as: UInt32.self)
            position &+= 5
            return Float(bitPattern: UInt32(bigEndian: bits))
        }
        return try readOtherFloat()
    }

    @inline(never) @usableFromInline
    mutating func readOtherFloat() throws(CBORError) -> Float {
        let start = position
        let wide = try readDouble()
        let value = Float(wide)
        guard value.isFinite || !wide.isFinite else {
            position = start
            throw outOfRange(Float.self)
        }
        return value
    }

    /// Reads a half, single or double float.
    mutating func readFloatItem() throws(CBORError) -> Double {
        let initial = try peekByte()
        guard initial >= 0xf9, initial <= 0xfb else { throw mismatch("a number") }
        let bits = try readLongArgument(initial & 0x1f)
        switch initial {
        case 0xf9: return Self.widen(half: UInt16(truncatingIfNeeded: bits))
        case 0xfa: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        default: return Double(bitPattern: bits)
        }
    }

    /// Follows appendix D of RFC 8949: sign 1, exponent 5, fraction 10 bits.
    static func widen(half: UInt16) -> Double {
        let exponent = Int(half >> 10) & 0x1f
        let fraction = Double(half & 0x3ff)
        let magnitude: Double
        switch exponent {
        case 0: magnitude = fraction * 0x1p-24
        case 31: magnitude = fraction == 0 ? .infinity : .nan
        default:
            magnitude = Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1024)
        }
        return half & 0x8000 == 0 ? magnitude : -magnitude
    }

    /// Reads a text string and checks it.
    @inlinable @inline(__always)
    public mutating func readString() throws(CBORError) -> String {
        #if _endian(little)
            let start = position &+ 1
            if _fastPath(start < end) {
                // At least 32 if this is not a text's head.
                let length = Int(truncatingIfNeeded: byte(at: position) ^ 0x60)
                let stop = start &+ length
                // The first of the eight bytes before its end may belong to another item.
                if _fastPath(length <= 15 && length <= limits.stringBytesMax && stop <= end)
                    && stop >= 8
                {
                    let last = base.loadUnaligned(fromByteOffset: stop &- 8, as: UInt64.self)
                    // Two shifts, since a single one by 64 bits would do nothing.
                    let unused = UInt64(truncatingIfNeeded: 7 &- (length & 7)) &* 8
                    let part = (last &>> 8) &>> unused
                    let isPart = length < 8
                    let low =
                        isPart ? part : base.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                    let high = isPart ? 0 : part
                    if _fastPath((low | high) & 0x8080_8080_8080_8080 == 0) {
                        position = stop
                        return Self.string(low, high, length)
                    }
                }
            }
        #endif
        return try readLongString()
    }

    /// Creates a string from the first `length` bytes of two words.
    @inlinable @inline(__always)
    static func string(_ low: UInt64, _ high: UInt64, _ length: Int) -> String {
        // The library stores this few bytes in the string itself.
        String(unsafeUninitializedCapacity: 15) { bytes in
            let bytes = UnsafeMutableRawBufferPointer(bytes)
            bytes.storeBytes(of: low, as: UInt64.self)
            // Seven bytes; one is stored twice.
            bytes.storeBytes(of: UInt32(truncatingIfNeeded: high), toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(
                of: UInt32(truncatingIfNeeded: high &>> 24), toByteOffset: 11, as: UInt32.self)
            return length
        }
    }

    @inline(never) @usableFromInline
    mutating func readLongString() throws(CBORError) -> String {
        let start = position
        var length = -1
        if remaining > 1 {
            let info = byte(at: start) ^ 0x60
            if info < 24 {
                length = Int(truncatingIfNeeded: info)
                position = start &+ 1
            } else if info == 24 {
                length = Int(truncatingIfNeeded: byte(at: start &+ 1))
                position = start &+ 2
            }
        }
        if _slowPath(length < 0 || length > remaining || length > limits.stringBytesMax) {
            position = start
            length = try readLength(0x60, "a text string")
        }
        let utf8 = UnsafeBufferPointer(
            start: (base + position).assumingMemoryBound(to: UInt8.self), count: length)
        if _fastPath(isASCII(length)) {
            position &+= length
            // SAFETY: it is ASCII, and therefore UTF-8.
            return String(copying: unsafe UTF8Span(unchecked: utf8.span, isKnownASCII: true))
        }
        guard let value = Self.validated(utf8) else {
            position = start
            throw notUTF8()
        }
        position &+= length
        return value
    }

    /// Returns whether the next `length` bytes, which exist, are all below 0x80.
    private func isASCII(_ length: Int) -> Bool {
        let start = base + position
        if length >= 16 {
            // Pairs of words; the last two pairs may overlap.
            let last = length &- 16
            var high = start.loadUnaligned(as: SIMD2<UInt64>.self)
            high |= start.loadUnaligned(fromByteOffset: last, as: SIMD2<UInt64>.self)
            var index = 16
            while _slowPath(index < last) {
                high |= start.loadUnaligned(fromByteOffset: index, as: SIMD2<UInt64>.self)
                index &+= 16
            }
            return (high.x | high.y) & 0x8080_8080_8080_8080 == 0
        }
        var high: UInt8 = 0
        for index in 0..<length { high |= start.load(fromByteOffset: index, as: UInt8.self) }
        return high < 0x80
    }

    /// `String(decoding:as:)` repairs invalid UTF-8, so that the string's bytes then differ from
    /// these. Measured: it takes a third of the time of `String(validating:as:)`, which is not
    /// specialized.
    @inline(never) @usableFromInline
    static func validated(_ utf8: UnsafeBufferPointer<UInt8>) -> String? {
        var value = String(decoding: utf8, as: UTF8.self)
        let isSame = value.withUTF8 { repaired in
            CBORText(utf8: UnsafeRawBufferPointer(repaired)).equals(UnsafeRawBufferPointer(utf8))
        }
        return isSame ? value : nil
    }

    /// Returns the bytes of a byte string, borrowed.
    @inlinable
    public mutating func readByteSpan() throws(CBORError) -> UnsafeRawBufferPointer {
        let length = try readLength(0x40, "a byte string")
        let bytes = UnsafeRawBufferPointer(start: base + position, count: length)
        position &+= length
        return bytes
    }

    /// Returns a copy of the bytes of a byte string.
    @inlinable
    public mutating func readBytes() throws(CBORError) -> [UInt8] { Array(try readByteSpan()) }

    /// Returns the bytes of a byte string or of base64 text; nil, with nothing consumed, for any
    /// other item.
    @inline(never) @usableFromInline
    mutating func readByteArray() throws(CBORError) -> [UInt8]? {
        switch peekType() {
        case .bytes: return try readBytes()
        case .text:
            let start = position
            guard let bytes = Base64.decode(try readKey().utf8) else {
                position = start
                throw failure(.typeMismatch, "wanted bytes, found text that is not base64")
            }
            return bytes
        default: return nil
        }
    }
}
