// DirectlyCodable scalars: integers, floats, booleans, strings.
//
// Layer      sans-I/O core.
// Isolation  value

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
