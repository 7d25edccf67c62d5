// DirectlyCodable: coding without containers, as `@Message` generates it, and of collections.
//
// Invariant  the memory that all collections of one payload reserve together is at most
//            CBORLimits.reserveFactor times the payload's bytes
//
// There are two ways to the same bytes. A type that is `DirectlyCodable` writes itself; any other
// `Codable` type goes through containers. Each call is bound to one of them at compile time:
// `write(_:)` prefers the direct one.

/// A type that reads and writes CBOR itself. `@Message` generates the conformance.
///
/// Depth is checked when reading. When writing, it is checked only through Codable: a recursive
/// value deeper than `CBORLimits.depthMax` is written here and refused by its reader.
public protocol DirectlyCodable: Sendable {
    func encode(into writer: inout CBORWriter) throws(CBORError)
    init(from reader: inout CBORReader) throws(CBORError)
    /// Describes the type in `types`; returns the text that schemas use to refer to it.
    static func describe(in types: inout TypeCatalog) -> String
}

/// A value that may cross a boundary at full speed.
public typealias Message = Codable & Sendable & DirectlyCodable

/// A struct whose initial values are not defaults for missing keys: the specification of the
/// protocol or of the ledger says which fields are mandatory. `@Message` looks for the name.
package protocol MandatoryFields {}

extension CBORWriter {
    @inlinable @inline(__always)
    public mutating func write<T: DirectlyCodable>(_ value: T) throws(CBORError) {
        try value.encode(into: &self)
    }

    /// Writes through Codable.
    @_disfavoredOverload
    public mutating func write<T: Encodable>(_ value: T) throws(CBORError) {
        try encodeContainers(value)
    }

    /// Never called: its compiler error gives the remedy.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "add '@Message' to its type: only what is Codable crosses")
    public mutating func write<T>(_ value: T) throws(CBORError) {}
}

extension CBORReader {
    @inlinable @inline(__always)
    public mutating func read<T: DirectlyCodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        try T(from: &self)
    }

    /// Reads through Codable, unless the type turns out to read itself.
    @_disfavoredOverload
    public mutating func read<T: Decodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        if let value = try ShortCut.decode(type, from: &self) { return value }
        return try decodeContainers(type)
    }

    /// Never called: its compiler error gives the remedy.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "add '@Message' to the type: only what is Codable crosses")
    public mutating func read<T>(_ type: T.Type = T.self) throws(CBORError) -> T {
        throw CBORError(.typeMismatch, at: 0, "\(T.self) is not Codable")
    }
}

/// A raw-value enum is coded as its raw value.
extension DirectlyCodable where Self: RawRepresentable, RawValue: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        try rawValue.encode(into: &writer)
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        let raw = try RawValue(from: &reader)
        guard let value = Self(rawValue: raw) else { throw reader.unknownRawValue(of: Self.self) }
        self = value
    }
}

/// Requires a conformance. Generated code calls it for types called `Date` and `URL`.
@_documentation(visibility: internal)
public func importingNapkinFoundation<T: DirectlyCodable>(_ type: T.Type) -> T.Type { type }

/// Never called: its compiler error gives the remedy.
@_documentation(visibility: internal) @_disfavoredOverload
@available(
    *, unavailable,
    message: """
        add 'import NapkinFoundation' to this file: it lets Date and URL cross; or '@Message' to \
        your own type
        """
)
public func importingNapkinFoundation<T>(_ type: T.Type) -> T.Type { type }

extension Optional: DirectlyCodable where Wrapped: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        if let value = self {
            try value.encode(into: &writer)
        } else {
            writer.writeNull()
        }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        self = reader.readNull() ? nil : try Wrapped(from: &reader)
    }
}

extension CBORReader {
    /// Returns how many elements of `T` to reserve for an array that declares `count`.
    ///
    /// All arrays share one reservation for the whole payload: otherwise nested arrays that declare
    /// more elements than they have would reserve as much at every level.
    @inlinable
    mutating func reservation<T>(_ count: Int, of type: T.Type) -> Int {
        let elements = min(count, reservable / MemoryLayout<T>.stride)
        reservable &-= elements &* MemoryLayout<T>.stride
        return elements
    }
}

extension CBORReader {
    /// Returns the number of elements of a set or a dictionary for which to reserve memory: a hash
    /// table has room for up to three times its elements.
    @inlinable
    mutating func tableReservation<T>(_ count: Int, of type: T.Type) -> Int {
        reservation(3 * count, of: type) / 3
    }
}

// `[UInt8]` is a byte string, in direct coding and through Codable. It is also read from an array
// of integers and from base64 text, its form after the JSON transcoder, in either direction.
extension Array: DirectlyCodable where Element: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        if Element.self == UInt8.self {
            withUnsafeBytes { writer.writeBytes($0) }
            return
        }
        writer.writeArrayHeader(count)
        // Not `for element in self`, which retains each element once more (measured).
        let elements = span
        for index in elements.indices { try elements[index].encode(into: &writer) }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        if Element.self == UInt8.self, let bytes = try reader.readByteArray() {
            // SAFETY: Element is UInt8, by the condition above: both arrays are one type.
            self = unsafeBitCast(bytes, to: [Element].self)
            return
        }
        try reader.enter()
        let count = try reader.readArrayHeader()
        let reserved = reader.reservation(count, of: Element.self)
        // Array literals are allocated directly at their size (measured).
        if count == 1 && reserved == 1 {
            self = [try Element(from: &reader)]
        } else if count == 2 && reserved == 2 {
            self = [try Element(from: &reader), try Element(from: &reader)]
        } else {
            // Not init(unsafeUninitializedCapacity:), which is slower here: it is not specialized
            // and looks the array's metadata up at run time (measured).
            var elements: [Element] = []
            elements.reserveCapacity(reserved)
            for _ in 0..<count { elements.append(try Element(from: &reader)) }
            self = elements
        }
        reader.leave()
    }
}

extension Set: DirectlyCodable where Element: DirectlyCodable {
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeArrayHeader(count)
        for element in self { try element.encode(into: &writer) }
    }

    /// An element that occurs twice counts once, as in the standard library's Codable.
    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        try reader.enter()
        let count = try reader.readArrayHeader()
        var elements = Set<Element>(
            minimumCapacity: reader.tableReservation(count, of: Element.self))
        for _ in 0..<count { elements.insert(try Element(from: &reader)) }
        reader.leave()
        self = elements
    }
}

extension Dictionary: DirectlyCodable where Key == String, Value: DirectlyCodable {
    /// Writes the pairs in the dictionary's order, which differs from process to process.
    @inlinable
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(count)
        for (key, value) in self {
            writer.writeString(key)
            try value.encode(into: &writer)
        }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws(CBORError) {
        try reader.enter()
        let count = try reader.readMapHeader()
        var pairs = [String: Value](
            minimumCapacity: reader.tableReservation(count, of: (key: Key, value: Value).self))
        for _ in 0..<count {
            let key = try reader.readString()
            let value = try Value(from: &reader)
            guard pairs.updateValue(value, forKey: key) == nil else {
                throw reader.duplicateEntry()
            }
        }
        reader.leave()
        self = pairs
    }
}

/// Makes a struct or an enum a message: `Codable`, `Sendable` and `DirectlyCodable`.
///
/// The generated coding produces the bytes of synthesized `Codable`, several times as fast
/// (BENCHMARKS.md), and the type describes itself for schemas, field by field (`TypeCatalog`).
/// Write the type of every stored property, unless its initial value is a literal; the macro cannot
/// see other inferred ones. A property whose type is an alias of an optional must be spelled as an
/// optional (`T?`). If you write `CodingKeys`, put them into the type itself, not into an
/// extension.
///
/// If a key is missing, because an older peer does not know it, the property has its initial value,
/// and a case's value has its default: the expression is evaluated each time the key is missing. An
/// optional is then nil, whatever its initial value: nil has no key. All other values are written,
/// including initial ones. Other decoders, such as Foundation's, need all keys.
///
/// A `public` or `package` struct that declares no initializer gets a memberwise one of the same
/// visibility; a property's initial value, or `nil`, becomes the parameter's default.
@attached(member, names: named(init))
@attached(
    extension, conformances: Codable, Sendable, DirectlyCodable,
    names: named(encode(into:)), named(init(from:)), named(describe(in:)))
public macro Message() = #externalMacro(module: "NapkinMacros", type: "MessageMacro")
