// Schema: a crossing described as data, for generic fronts, tools and the handshake.
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
    /// The type as the contract spells it.
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
    /// The result's type as the contract spells it; `nil` for none.
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
}

/// One feature: what it presents and what it listens to.
public struct FeatureSchema: Codable, Hashable, Sendable {
    public var feature: String
    public var presents: [MethodSchema]
    public var listens: [MethodSchema]

    public init(feature: String, presents: [MethodSchema], listens: [MethodSchema]) {
        self.feature = feature
        self.presents = presents
        self.listens = listens
    }

    /// 64-bit FNV-1a over the schema's canonical text; equal on both sides when nothing differs.
    ///
    /// Canonical text: the feature's id, then one line per method in the order of its keys, made of
    /// class, key, each parameter's type, result type and `throws`. Parameter names are left out:
    /// they do not travel.
    public var hash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            hash = (hash ^ 0x0A) &* 0x0000_0100_0000_01B3
        }
        mix(feature)
        for method in (presents + listens).sorted(by: { $0.key < $1.key }) {
            let types = method.parameters.map(\.type).joined(separator: ",")
            let ending = (method.result ?? "-") + (method.isThrowing ? " throws" : "")
            mix("\(method.delivery.rawValue) \(method.key) \(types) \(ending)")
        }
        return hash
    }
}
