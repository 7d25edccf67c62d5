// Feature: the identity and the shape of one feature, shared by the worker and its fronts.
//
// Isolation  @MainActor for receivers; identities and arguments are values.

/// The name of a feature, unique within an app: `rib-house.pit-board`.
public struct FeatureID: RawRepresentable, Hashable, Sendable, Codable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }

    /// The last component: `pit-board` of `rib-house.pit-board`.
    package var lastComponent: String {
        rawValue.split(separator: ".").last.map(String.init) ?? rawValue
    }
}

/// One feature: an identity, its arguments, and the two crossings of its view.
///
/// A contract declares it as a case-less enum and names what `@Crossing` generated:
///
/// ```swift
/// public enum PitBoard: Feature {
///     public static let id: FeatureID = "rib-house.pit-board"
///     public typealias Presenting = PitBoardPresentableCrossing
///     public typealias Listening = PitBoardPresentableListenerCrossing
/// }
/// ```
public protocol Feature: Sendable {
    /// The values that the view needs once, at mount. They cross as CBOR.
    associatedtype Arguments: Codable & Sendable = NoArguments
    /// The crossing from the interactor to the view.
    associatedtype Presenting: PresentableCrossing = PresentsNothing
    /// The crossing from the view to the interactor.
    associatedtype Listening: ListenerCrossing = ListensToNothing
    static var id: FeatureID { get }
}

extension Feature {
    /// Describes the feature as data, with the types that it uses.
    package static var schema: FeatureSchema {
        var types = TypeCatalog()
        var schema = describe(in: &types)
        schema.types = types.types
        return schema
    }

    /// Describes the feature as data and adds its types to `types`.
    package static func describe(in types: inout TypeCatalog) -> FeatureSchema {
        let arguments = Arguments.self == NoArguments.self ? nil : types.name(of: Arguments.self)
        return FeatureSchema(
            feature: id.rawValue, presents: Presenting.describe(in: &types).methods,
            listens: Listening.describe(in: &types).methods, arguments: arguments)
    }
}

/// The arguments of a feature that has none. Crosses as an empty map.
public struct NoArguments: Codable, Sendable, Equatable {
    public init() {}
}

/// The presentable crossing of a feature whose view is a plain container, or that has no view.
public enum PresentsNothing: PresentableCrossing {
    public typealias Message = NoMessage

    public static func describe(in types: inout TypeCatalog) -> CrossingSchema {
        CrossingSchema(name: "PresentsNothing", methods: [])
    }
    @MainActor public static func sender(to port: any PresentPort) -> any Sendable { () }
    @MainActor public static func receiver(for target: any Sendable) -> CrossingReceiver {
        CrossingReceiver()
    }
}

/// The listener crossing of a feature whose view sends nothing.
public enum ListensToNothing: ListenerCrossing {
    public static func describe(in types: inout TypeCatalog) -> CrossingSchema {
        CrossingSchema(name: "ListensToNothing", methods: [])
    }
    @MainActor public static func sender(to port: any EventPort) -> any Sendable { () }
    @MainActor public static func receiver(for target: any Sendable) -> CrossingReceiver {
        CrossingReceiver()
    }
}

/// The message of a presentable without methods; it has no value.
public enum NoMessage: CrossingMessage {
    public init(method: MethodID, payload: UnsafeRawBufferPointer) throws(CBORError) {
        let number = String(method.rawValue, radix: 16)
        throw CBORError(.unknownCase, at: 0, "the feature has no method 0x\(number)")
    }

    public var method: MethodID {
        switch self {}
    }

    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        switch self {}
    }
}
