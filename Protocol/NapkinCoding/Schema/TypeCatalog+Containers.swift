// TypeCatalog containers: how schemas name optionals, arrays, sets and dictionaries.

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
    /// A container is described by its parts. A hand-written coding does not describe its type:
    /// schemas name it, with unknown structure.
    public static func describe(in types: inout TypeCatalog) -> String {
        types.container(Self.self) ?? types.opaque(Self.self)
    }
}
