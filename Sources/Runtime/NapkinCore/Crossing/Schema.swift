// Schema: a crossing described as data, for generic fronts, tools and the comparison of contracts.
//
// Spec       Protocol/SPEC.md, section 13 (Schema)

/// One parameter of a crossing's method.
@Message
package struct ParameterSchema: Hashable {
    /// The argument label; `_` if the call site writes none.
    package var label: String
    /// The name inside the method, which tools show.
    package var name: String
    /// The type, in the form in which schemas refer to types: `[PitSection]`.
    package var type: String
}

/// One method of a crossing.
public struct MethodSchema: Codable, Hashable, Sendable {
    /// The method's full name, `present(sections:)`.
    package var key: String
    package var delivery: DeliveryClass
    package var parameters: [ParameterSchema]
    /// The result's type; `nil` if there is none.
    package var result: String?
    /// Whether the method is declared `throws`.
    package var isThrowing: Bool
    /// The type of its errors; `nil` where only their texts cross.
    package var error: String?

    package init(
        key: String, delivery: DeliveryClass, parameters: [ParameterSchema] = [],
        result: String? = nil, isThrowing: Bool = false, error: String? = nil
    ) {
        self.key = key
        self.delivery = delivery
        self.parameters = parameters
        self.result = result
        self.isThrowing = isThrowing
        self.error = error
    }

    /// The number that identifies the method in a frame.
    package var id: MethodID { MethodID(key: key) }
}

/// One `@Crossing` protocol.
@Message
public struct CrossingSchema: Hashable {
    /// The protocol's name.
    package var name: String
    package var methods: [MethodSchema]

    /// Adds a method. Generated code then adds its parameters and its result.
    public mutating func add(_ key: String, _ delivery: DeliveryClass) {
        methods.append(MethodSchema(key: key, delivery: delivery))
    }

    /// Adds a parameter to the last method.
    public mutating func takes(_ label: String, _ name: String, _ type: String) {
        let parameter = ParameterSchema(label: label, name: name, type: type)
        methods[methods.endIndex - 1].parameters.append(parameter)
    }

    /// Gives the last method a result.
    public mutating func returns(_ type: String) { methods[methods.endIndex - 1].result = type }

    /// Declares the last method `throws`.
    ///
    /// - Parameter error: the type of its errors, if the method names it.
    public mutating func `throws`(_ error: String? = nil) {
        methods[methods.endIndex - 1].isThrowing = true
        methods[methods.endIndex - 1].error = error
    }
}

/// One feature: the methods that it presents and those that it listens to.
@Message
package struct FeatureSchema: Hashable {
    package var feature: String
    package var presents: [MethodSchema]
    package var listens: [MethodSchema]
    /// The type of the feature's arguments; `nil` if it has none.
    package var arguments: String?
    /// The types that the methods and the arguments use; `nil` in an `AppSchema`, which has the
    /// types of all its features.
    package var types: [TypeSchema]?

    /// Equal on both sides if nothing differs, down to the fields of the types: the 64-bit FNV-1a
    /// hash of the lines of the schema's text.
    package var hash: UInt64 {
        let lines = SchemaText.lines(of: self).map { $0 + "\n" }
        return StableHash.value(of: lines.joined().utf8)
    }
}

/// The features and durable states of an app, with their types.
@Message
package struct AppSchema: Hashable {
    package var app: String
    package var features: [FeatureSchema]
    /// The types that the features and the states use.
    package var types: [TypeSchema]
    /// The durable states that the app lists; `nil` if there are none.
    package var states: [DurableSchema]?
}

extension AppSchema {
    /// Describes an app's features and durable states. A type that several use is described once.
    package init(
        app: String, of features: [any Feature.Type], states: [any DurableState.Type] = []
    ) {
        var catalog = TypeCatalog()
        self.app = app
        self.features = features.map { $0.describe(in: &catalog) }
        self.states = states.isEmpty ? nil : states.map { DurableSchema(of: $0, in: &catalog) }
        types = catalog.types
    }

    /// Returns a feature's schema with all of the app's types.
    package func feature(_ id: String) -> FeatureSchema? {
        guard var feature = features.first(where: { $0.feature == id }) else { return nil }
        feature.types = types
        return feature
    }
}

/// 64-bit FNV-1a: unlike Swift's hash, it is the same in every process.
package enum StableHash {
    package static func value(of bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
