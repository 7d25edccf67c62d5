// DirectlyCodable scalars: integers, floats, booleans, strings.

extension Bool: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeBool(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readBool()
    }
}

extension Double: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeDouble(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readDouble()
    }
}

extension Float: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeFloat(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readFloat()
    }
}

extension String: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeString(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readString()
    }
}

extension Int: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeInt(Int64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Int.self)
    }
}

extension Int8: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeInt(Int64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Int8.self)
    }
}

extension Int16: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeInt(Int64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Int16.self)
    }
}

extension Int32: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeInt(Int64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Int32.self)
    }
}

extension Int64: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeInt(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(Int64.self)
    }
}

extension UInt: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeUInt(UInt64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(UInt.self)
    }
}

extension UInt8: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeUInt(UInt64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(UInt8.self)
    }
}

extension UInt16: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeUInt(UInt64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(UInt16.self)
    }
}

extension UInt32: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeUInt(UInt64(self)) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(UInt32.self)
    }
}

extension UInt64: DirectlyCodable {
    @inlinable @inline(__always)
    public func encode(into writer: inout CBORWriter) { writer.writeUInt(self) }

    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = try reader.readInteger(UInt64.self)
    }
}

// MARK: Concrete overloads

// The generic `read(_:)` reaches these through a witness, which the optimizer does not inline
// across modules: that costs 5 % of the time of a small struct (measured). Results are the same.
extension CBORReader {
    @inlinable @inline(__always)
    public mutating func read(_ type: Bool.Type) throws(CBORError) -> Bool {
        try readBool()
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Double.Type) throws(CBORError) -> Double {
        try readDouble()
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Float.Type) throws(CBORError) -> Float {
        try readFloat()
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: String.Type) throws(CBORError) -> String {
        try readString()
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Int.Type) throws(CBORError) -> Int {
        try readInteger(Int.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Int8.Type) throws(CBORError) -> Int8 {
        try readInteger(Int8.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Int16.Type) throws(CBORError) -> Int16 {
        try readInteger(Int16.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Int32.Type) throws(CBORError) -> Int32 {
        try readInteger(Int32.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: Int64.Type) throws(CBORError) -> Int64 {
        try readInteger(Int64.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: UInt.Type) throws(CBORError) -> UInt {
        try readInteger(UInt.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: UInt8.Type) throws(CBORError) -> UInt8 {
        try readInteger(UInt8.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: UInt16.Type) throws(CBORError) -> UInt16 {
        try readInteger(UInt16.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: UInt32.Type) throws(CBORError) -> UInt32 {
        try readInteger(UInt32.self)
    }

    @inlinable @inline(__always)
    public mutating func read(_ type: UInt64.Type) throws(CBORError) -> UInt64 {
        try readInteger(UInt64.self)
    }
}
