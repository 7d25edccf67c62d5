// Schema: a crossing described as data, for generic fronts, tools and the comparison of contracts.
//
// Layer      core vocabulary.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// One parameter of a crossing's method.
public struct ParameterSchema: Codable, Hashable, Sendable {
    /// The argument label; `_` where the call site writes none.
    public var label: String
    /// The name inside the method, which tools show.
    public var name: String
    /// The type as schemas refer to it: `[PitSection]`.
    public var type: String

    public init(label: String, name: String, type: String) {
        self.label = label
        self.name = name
        self.type = type
    }
}

/// One method of a crossing.
public struct MethodSchema: Codable, Hashable, Sendable {
    /// The method's full name, `present(sections:)`.
    public var key: String
    public var delivery: DeliveryClass
    public var parameters: [ParameterSchema]
    /// The result's type; `nil` for none.
    public var result: String?
    /// Whether the method is declared `throws`.
    public var isThrowing: Bool

    public init(
        key: String, delivery: DeliveryClass, parameters: [ParameterSchema] = [],
        result: String? = nil, isThrowing: Bool = false
    ) {
        self.key = key
        self.delivery = delivery
        self.parameters = parameters
        self.result = result
        self.isThrowing = isThrowing
    }

    /// The number that stands for the method in a frame.
    public var id: MethodID { MethodID(key: key) }
}

/// One `@Crossing` protocol.
public struct CrossingSchema: Codable, Hashable, Sendable {
    /// The protocol's name.
    public var name: String
    public var methods: [MethodSchema]

    public init(name: String, methods: [MethodSchema]) {
        self.name = name
        self.methods = methods
    }

    /// Another method. Generated code says what it takes and returns next.
    public mutating func add(_ key: String, _ delivery: DeliveryClass) {
        methods.append(MethodSchema(key: key, delivery: delivery))
    }

    /// Another parameter of the last method.
    public mutating func takes(_ label: String, _ name: String, _ type: String) {
        let parameter = ParameterSchema(label: label, name: name, type: type)
        methods[methods.endIndex - 1].parameters.append(parameter)
    }

    /// The last method has a result.
    public mutating func returns(_ type: String) {
        methods[methods.endIndex - 1].result = type
    }

    /// The last method is declared `throws`.
    public mutating func `throws`() {
        methods[methods.endIndex - 1].isThrowing = true
    }
}

/// One feature: what it presents and what it listens to.
public struct FeatureSchema: Codable, Hashable, Sendable {
    public var feature: String
    public var presents: [MethodSchema]
    public var listens: [MethodSchema]
    /// The type of what the feature is mounted with; `nil` for nothing.
    public var arguments: String?
    /// The types that the methods and the arguments use; `nil` in an `AppSchema`, which has those
    /// of all its features.
    public var types: [TypeSchema]?

    public init(
        feature: String, presents: [MethodSchema], listens: [MethodSchema],
        arguments: String? = nil, types: [TypeSchema]? = nil
    ) {
        self.feature = feature
        self.presents = presents
        self.listens = listens
        self.arguments = arguments
        self.types = types
    }

    /// Equal on both sides when nothing differs, down to the fields of the types: 64-bit FNV-1a
    /// over the lines of the schema's text.
    public var hash: UInt64 {
        var text = ContractHash()
        for line in SchemaText.lines(of: self) { text.add(line) }
        return text.value
    }
}

/// Everything that an app presents and listens to.
public struct AppSchema: Codable, Hashable, Sendable {
    public var app: String
    public var features: [FeatureSchema]
    /// The types that the features use.
    public var types: [TypeSchema]

    public init(app: String, features: [FeatureSchema], types: [TypeSchema]) {
        self.app = app
        self.features = features
        self.types = types
    }

    /// Describes an app's features; a type that several use is described once.
    public init(app: String, of features: [any Feature.Type]) {
        var catalog = TypeCatalog()
        self.app = app
        self.features = features.map { $0.describe(in: &catalog) }
        types = catalog.types
    }

    /// A feature's schema with the types that it needs, and all others.
    public func feature(_ id: String) -> FeatureSchema? {
        guard var feature = features.first(where: { $0.feature == id }) else { return nil }
        feature.types = types
        return feature
    }
}

/// 64-bit FNV-1a over lines of text, each with a newline after it.
struct ContractHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ line: String) {
        for byte in line.utf8 { mix(byte) }
        mix(0x0A)
    }

    private mutating func mix(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
