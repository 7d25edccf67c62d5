// TypeCatalog: collects the descriptions of types, each once, including types that contain
// themselves.
//
// Invariant  no two types have one name: if they would, the later one is prefixed by its module.

/// The types that a contract uses, in the order in which they were first met.
public struct TypeCatalog: Sendable {
    package private(set) var types: [TypeSchema] = []
    private var names: [ObjectIdentifier: String] = [:]
    private var taken: Set<String> = []

    package init() {}

    /// Returns the text that schemas use to refer to `type`; describes a new type first.
    public mutating func name<T: DirectlyCodable>(of type: T.Type) -> String {
        T.describe(in: &self)
    }

    /// Returns the text for a type that is only `Codable`, or not statically known to be more.
    @_disfavoredOverload
    public mutating func name<T>(of type: T.Type) -> String {
        if let direct = type as? any DirectlyCodable.Type { return direct.describe(in: &self) }
        return container(type) ?? opaque(type)
    }

    /// Returns the text for a container of the standard library, whatever its elements.
    mutating func container<T>(_ type: T.Type) -> String? {
        (type as? any Container.Type)?.describeParts(in: &self)
    }

    /// Describes a type unless it already is; returns its name. `@Message` generates the call.
    public mutating func describe<T>(
        _ type: T.Type, as name: String, _ body: (inout TypeDescription) -> Void
    ) -> String {
        let id = ObjectIdentifier(type)
        if let known = names[id] { return known }
        let name = taken.contains(name) ? String(reflecting: type) : name
        names[id] = name
        taken.insert(name)
        // Its place is where it was first met, before the types of its fields.
        let index = types.count
        types.append(TypeSchema(name: name, kind: .opaque))
        var description = TypeDescription(name, self)
        body(&description)
        self = description.catalog
        types[index] = description.schema
        return name
    }

    /// Describes a type of the standard library that has its own coding, or a type that is opaque.
    mutating func opaque<T>(_ type: T.Type) -> String {
        let path = String(reflecting: type)
        // The path of a generic type contains module names; the path of a private one differs from
        // process to process.
        let isPlain = !path.contains { $0 == "<" || $0 == "(" }
        let name = isPlain ? String(path.drop { $0 != "." }.dropFirst()) : "\(type)"
        if path.hasPrefix("Swift."), TypeSchema.scalars.contains(name) { return name }
        return describe(type, as: name.isEmpty ? path : name) { _ in }
    }
}

extension TypeSchema {
    /// The types that every schema may name without describing them.
    package static let scalars: Set<String> = [
        "Bool", "String", "Float", "Double", "Int", "Int8", "Int16", "Int32", "Int64", "UInt",
        "UInt8", "UInt16", "UInt32", "UInt64",
    ]
}

/// One type while it is being described: generated code adds its parts in order.
public struct TypeDescription: Sendable {
    fileprivate var catalog: TypeCatalog
    fileprivate var schema: TypeSchema

    fileprivate init(_ name: String, _ catalog: TypeCatalog) {
        self.catalog = catalog
        schema = TypeSchema(name: name, kind: .opaque)
    }

    /// Describes the type as a struct, even one without fields.
    public mutating func structure() {
        schema.kind = .structure
        schema.fields = []
    }

    /// Adds a field to the struct, or a value to the last case.
    public mutating func field<T: DirectlyCodable>(
        _ key: String, _ type: T.Type, hasDefault: Bool? = nil
    ) {
        add(FieldSchema(key: key, type: catalog.name(of: type), hasDefault: hasDefault))
    }

    @_disfavoredOverload
    public mutating func field<T>(_ key: String, _ type: T.Type, hasDefault: Bool? = nil) {
        add(FieldSchema(key: key, type: catalog.name(of: type), hasDefault: hasDefault))
    }

    private mutating func add(_ field: FieldSchema) {
        guard let last = schema.cases?.indices.last else {
            schema.fields = (schema.fields ?? []) + [field]
            return
        }
        let fields = schema.cases?[last].fields ?? []
        schema.cases?[last].fields = fields + [field]
    }

    /// Adds a case to an enum; its values follow.
    public mutating func choice(_ key: String) {
        schema.kind = .choice
        schema.cases = (schema.cases ?? []) + [CaseSchema(key: key)]
    }

    /// Describes the type as its raw value.
    public mutating func raw<T: DirectlyCodable>(_ type: T.Type) {
        schema.kind = .raw
        schema.raw = catalog.name(of: type)
    }

    /// Adds a possible raw value; without any, every raw value is possible.
    public mutating func value<T>(_ name: String, _ value: T) {
        schema.cases = (schema.cases ?? []) + [CaseSchema(key: name, value: "\(value)")]
    }
}

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
