// DirectlyCodable: coding without containers, as `@Message` generates it.
//
//
// There are two ways to the same bytes. A type that is `DirectlyCodable` writes itself; any other
// `Codable` type goes through containers. A call is bound to one of them where it is compiled:
// `write(_:)` prefers the direct one.

/// A type that reads and writes CBOR itself. `@Message` generates the conformance.
///
/// Depth is checked when reading. When writing, it is checked only through Codable: a recursive
/// value deeper than `CBORLimits.depthMax` is written here and refused by its reader.
public protocol DirectlyCodable: Sendable {
    func encode(into writer: inout CBORWriter) throws(CBORError)
    init(from reader: inout CBORReader) throws(CBORError)
    /// Describes the type in `types`; returns the text by which schemas refer to it.
    static func describe(in types: inout TypeCatalog) -> String
}

/// A value that may cross a boundary at full speed.
public typealias Message = Codable & Sendable & DirectlyCodable

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

    /// Never called: says in a compiler's error what to do.
    @_documentation(visibility: internal)
    @available(*, unavailable, message: "add '@Message' to its type: only what is Codable crosses")
    public mutating func write<T>(_ value: T) throws(CBORError) {}
}

extension CBORReader {
    @inlinable @inline(__always)
    public mutating func read<T: DirectlyCodable>(
        _ type: T.Type = T.self
    ) throws(CBORError) -> T {
        try T(from: &self)
    }

    /// Reads through Codable.
    @_disfavoredOverload
    public mutating func read<T: Decodable>(_ type: T.Type = T.self) throws(CBORError) -> T {
        try decodeContainers(type)
    }

    /// Never called: says in a compiler's error what to do.
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

/// Never called: says in a compiler's error what to do.
@_documentation(visibility: internal) @_disfavoredOverload
@available(
    *, unavailable,
    message: """
        add 'import NapkinFoundation' to this file: it lets Date and URL cross; or '@Message' to \
        your own type
        """
)
public func importingNapkinFoundation<T>(_ type: T.Type) -> T.Type { type }
