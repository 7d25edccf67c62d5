// TypeCatalog containers: how schemas name optionals, arrays, sets and dictionaries.
//
//
// Each is described in two ways: if the elements are `DirectlyCodable`, statically; if they are
// only `Codable`, by finding the container with a cast.

/// A container of the standard library, whatever its elements.
protocol Container {
    static func describeParts(in types: inout TypeCatalog) -> String
}

extension Optional: Container {
    static func describeParts(in types: inout TypeCatalog) -> String {
        types.name(of: Wrapped.self) + "?"
    }
}

extension Array: Container {
    static func describeParts(in types: inout TypeCatalog) -> String {
        "[\(types.name(of: Element.self))]"
    }
}

extension Set: Container {
    static func describeParts(in types: inout TypeCatalog) -> String {
        "Set<\(types.name(of: Element.self))>"
    }
}

extension Dictionary: Container {
    static func describeParts(in types: inout TypeCatalog) -> String {
        "[\(types.name(of: Key.self)): \(types.name(of: Value.self))]"
    }
}

extension DirectlyCodable {
    /// A hand-written coding does not describe the type: schemas name it, with unknown structure.
    public static func describe(in types: inout TypeCatalog) -> String { types.opaque(Self.self) }
}

extension Optional where Wrapped: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        types.name(of: Wrapped.self) + "?"
    }
}

extension Array where Element: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        "[\(types.name(of: Element.self))]"
    }
}

extension Set where Element: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        "Set<\(types.name(of: Element.self))>"
    }
}

extension Dictionary where Key == String, Value: DirectlyCodable {
    public static func describe(in types: inout TypeCatalog) -> String {
        "[String: \(types.name(of: Value.self))]"
    }
}
