// DescriptionTests: what generated code says of its types, for schemas.

import NapkinCore
import Testing

/// Has one more type of a name that another has, too.
private enum Elsewhere {
    @Message
    struct Item: Equatable {
        var id: Int
    }

    typealias Number = Int32
}

@Message
private struct Item: Equatable {
    var other: Elsewhere.Item
    var numbers: [Elsewhere.Number]
}

/// Only the containers are known here to code themselves, or not even they.
@Message
private struct Boxes: Equatable {
    var plain: [Plain]
    var maybe: [Plain?]?
    var table: [String: [Order]]
    var keyed: [Int: Kind]
    var unique: Set<String>
    var bytes: [UInt8]
}

@Suite("What generated code says of its types")
struct DescriptionTests {
    private func describe<T: DirectlyCodable>(_ type: T.Type) -> (name: String, text: [String]) {
        var types = TypeCatalog()
        let name = types.name(of: type)
        let schema = AppSchema(app: "a", features: [], types: types.types)
        let lines = SchemaText.text(of: schema).split(separator: "\n").dropFirst()
        return (name, lines.map { $0.split(separator: " ").joined(separator: " ") })
    }

    @Test func `a struct has its coded fields; one that contains itself is described once`() {
        #expect(
            describe(Order.self).text == [
                "enum Kind String", "hot \"hot\"", "cold \"very cold\"", "struct Order",
                "id Int64", "name String", "quantity Int32", "rank Int32", "price Double = default",
                "note String?", "tags [String]", "kind Kind", "parent [Order]?",
                "seen Bool = default",
            ])
    }

    @Test func `an enum has its cases with what comes with them`() {
        let text = describe(Move.self).text
        #expect(
            text.prefix(17) == [
                "enum Kind String", "hot \"hot\"", "cold \"very cold\"", "enum Move", "idle",
                "none", "turn", "_0 Int", "go", "to String", "_1 Double?", "speed Int",
                "default", "in Order", "both", "_0 Move", "_1 Move",
            ])
    }

    @Test func `keys are those that travel, and constants are left out`() {
        #expect(
            describe(Rekeyed.self).text == [
                "struct Rekeyed", "3rd [Int]", "first Int",
                "\"a \\\"quoted\\\" key\" String?",
            ])
        #expect(describe(Constants.self).text == ["struct Constants", "id Int"])
        #expect(describe(Empty.self).text == ["struct Empty"])
        #expect(describe(RenamedCases.self).text == ["enum RenamedCases", "s", "_0 Int", "long"])
    }

    @Test func `a raw value is told by its type, and by its values if they are known`() {
        #expect(describe(Level.self).text == ["enum Level Int", "low \"-1\"", "high \"1\""])
        #expect(describe(Identifier.self).text == ["raw Identifier String"])
    }

    @Test func `a field says that it has a default, unless it is optional`() {
        #expect(
            describe(Late.self).text.suffix(8) == [
                "struct Late", "title String", "isPinned Bool = default", "rank Int = default",
                "ratio Double = default", "tags [String] = default", "kind Kind = default",
                "note String?",
            ])
        #expect(
            describe(WithDefault.self).text == [
                "enum WithDefault", "wait", "seconds Int = default", "reason String?",
            ])
    }

    @Test func `containers show what is in them, and what is only Codable is opaque`() {
        let text = describe(Boxes.self).text
        #expect(
            text.prefix(7) == [
                "struct Boxes", "plain [Plain]", "maybe [Plain?]?", "table [String: [Order]]",
                "keyed [Int: Kind]", "unique Set<String>", "bytes [UInt8]",
            ])
        #expect(text.contains("opaque Plain"))
        #expect(text.contains("struct Order"))
    }

    @Test func `two types of one name are kept apart, and an alias is what it stands for`() {
        let (name, text) = describe(Item.self)
        #expect(name == "Item")
        #expect(
            text == [
                "struct Elsewhere.Item", "id Int", "struct Item", "other Elsewhere.Item",
                "numbers [Int32]",
            ])
        var types = TypeCatalog()
        #expect(types.describe(Int.self, as: "Twin") { $0.structure() } == "Twin")
        #expect(types.describe(Order.self, as: "Twin") { _ in } == "RuntimeTests.Order")
        #expect(types.describe(Int.self, as: "Twin") { _ in } == "Twin")
    }

    @Test func `a feature names what its methods and its arguments use`() {
        enum Pit: Feature {
            static let id: FeatureID = "pit"
            typealias Arguments = Order
            typealias Presenting = PitPresentableCrossing
        }
        let schema = Pit.schema
        #expect(schema.arguments == "Order")
        #expect(schema.types?.map(\.name) == ["Order", "Kind", "Plain"])
        #expect(schema.types?.last?.kind == .opaque)
        #expect(schema.listens.isEmpty)
    }
}
