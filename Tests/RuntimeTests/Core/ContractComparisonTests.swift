// ContractComparisonTests: each kind of change, with the exact words for it.

import NapkinCore
import Testing

/// What one change must be called.
struct Change: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    /// A line for each change: `summary`, then ` | reason` for each breakage, then ` → advice`.
    var expected: [String]

    init(_ old: String, _ new: String, _ expected: String...) {
        self.old = old
        self.new = new
        self.expected = expected
    }

    var testDescription: String { expected.joined(separator: " / ") }
}

private let unreadToOldFront = "an older front cannot read what a newer worker sends"
private let unreadToNewFront = "a newer front cannot read what an older worker sends"
private let unreadFromOldFront = "a newer worker cannot read what an older front sends"
private let unreadFromNewFront = "an older worker cannot read what a newer front sends"

@Suite("From one contract to the next")
struct ContractComparisonTests {
    /// A feature that shows, takes or exchanges an item, and a type of that name.
    private static func schema(_ methods: String, _ types: String) throws -> AppSchema {
        let features = methods.isEmpty ? "" : "feature f\n\(methods)\n"
        return try SchemaText.schema(from: "app a\n\(features)\(types)\n")
    }

    private static func describe(_ changes: [ContractChange]) -> [String] {
        changes.map { change in
            ([change.summary] + change.breakages.map(\.reason)).joined(separator: " | ")
                + (change.advice.map { " → \($0)" } ?? "")
        }
    }

    private static let shows = "  state show(_:)\n    _ item  Item"
    private static let takes = "  event take(_:)\n    _ item  Item"

    // MARK: - Types

    static let shownTypes: [Change] = [
        Change("a  Int\n  b  Int", "b  Int\n  a  Int"),
        Change(
            "a  Int\n  b  String", "b  String",
            "Item.a: field removed | \(unreadToOldFront) "
                + "→ keep the field until no older peer is in use"),
        Change("a  Int?\n  b  String", "b  String", "Item.a: field removed"),
        Change(
            "b  String", "a  Int\n  b  String",
            "Item.a: field added, Int | \(unreadToNewFront) → give it a default, or make it Int?"),
        Change("b  String", "a  Int?\n  b  String", "Item.a: field added, Int?"),
        Change("a  Int = default\n  b  String", "b  String", "Item.a: field removed"),
        Change("b  String", "a  Int = default\n  b  String", "Item.a: field added, Int"),
        Change("a  Int", "a  Int = default", "Item.a: default added"),
        Change("a  Int = default", "a  Int", "Item.a: default removed"),
        Change(
            "a  Int = default", "a  Int?",
            "Item.a: type changed from Int to Int? | \(unreadToOldFront) "
                + "→ keep it mandatory, or add an optional field beside it"),
        Change(
            "a  Int\n  b  String", "z  Int\n  b  String",
            "Item.a: field removed, or renamed to 'z' | \(unreadToOldFront) → keep the field; for "
                + "another name in Swift alone, keep its key: case z = \"a\" in CodingKeys",
            "Item.z: field added, Int | \(unreadToNewFront) → give it a default, or make it Int?"),
        Change(
            "a  Int", "a  String",
            "Item.a: type changed from Int to String | \(unreadToOldFront) | \(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "a  Int", "a  Int?",
            "Item.a: type changed from Int to Int? | \(unreadToOldFront) "
                + "→ keep it mandatory, or add an optional field beside it"),
        Change(
            "a  Int?", "a  Int",
            "Item.a: type changed from Int? to Int | \(unreadToNewFront) → leave it optional"),
        Change(
            "a  Int32", "a  Int",
            "Item.a: type changed from Int32 to Int | \(unreadToOldFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "a  UInt8", "a  Int8",
            "Item.a: type changed from UInt8 to Int8 | \(unreadToOldFront) | \(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change("a  Int", "a  Int64"),
        Change("a  Set<Int>", "a  [Int]"),
        Change(
            "a  Float", "a  Double",
            "Item.a: type changed from Float to Double | \(unreadToOldFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "a  [UInt8]", "a  [UInt16]",
            "Item.a: type changed from [UInt8] to [UInt16] | \(unreadToOldFront) | "
                + "\(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "a  [String: [Int?]]", "a  [String: [Int]]",
            "Item.a: type changed from [String: [Int?]] to [String: [Int]] | \(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "a  Date", "a  Point",
            "Item.a: type changed from Date to Point | \(unreadToOldFront) | \(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change("a  Date", "a  Date"),
    ]

    @Test(arguments: shownTypes) func `a field of a type that is shown`(change: Change) throws {
        let old = try Self.schema(Self.shows, "struct Item\n  \(change.old)")
        let new = try Self.schema(Self.shows, "struct Item\n  \(change.new)")
        let changes = ContractComparison.changes(from: old, to: new)
        #expect(Self.describe(changes) == change.expected)
    }

    @Test func `what breaks whom turns round for a type that is taken`() throws {
        let old = try Self.schema(Self.takes, "struct Item\n  a  Int\n  b  Int?\n  c  Int32")
        let new = try Self.schema(Self.takes, "struct Item\n  b  Int\n  c  Int\n  d  Bool")
        #expect(
            Self.describe(ContractComparison.changes(from: old, to: new)) == [
                "Item.a: field removed | \(unreadFromNewFront) "
                    + "→ keep the field until no older peer is in use",
                "Item.b: type changed from Int? to Int | \(unreadFromOldFront) → leave it optional",
                "Item.c: type changed from Int32 to Int | \(unreadFromNewFront) "
                    + "→ keep it, and add an optional field or a method with the new type",
                "Item.d: field added, Bool | \(unreadFromOldFront) "
                    + "→ give it a default, or make it Bool?",
            ])
    }

    @Test func `only a front may leave out a field that has a default`() throws {
        let old = try Self.schema(Self.takes, "struct Item\n  a  Int\n  b  Int = default")
        let new = try Self.schema(
            Self.takes, "struct Item\n  a  Int = default\n  b  Int\n  c  Int = default")
        #expect(
            Self.describe(ContractComparison.changes(from: old, to: new)) == [
                "Item.a: default added | \(unreadFromNewFront)",
                "Item.b: default removed | \(unreadFromOldFront) "
                    + "→ leave its initial value until no older front is in use",
                "Item.c: field added, Int",
            ])
    }

    @Test func `a type that goes both ways is one change that breaks both`() throws {
        let methods = Self.shows + "\n" + Self.takes
        let old = try Self.schema(methods, "struct Item\n  a  Int")
        let new = try Self.schema(methods, "struct Item\n  a  Int\n  b  Int")
        #expect(
            Self.describe(ContractComparison.changes(from: old, to: new)) == [
                "Item.b: field added, Int | \(unreadFromOldFront) | \(unreadToNewFront) "
                    + "→ give it a default, or make it Int?"
            ])
    }

    static let shownEnums: [Change] = [
        Change(
            "enum Item\n  a", "enum Item\n  a\n  b",
            "Item.b: case added | \(unreadToOldFront) → send it in a new optional field or by a "
                + "new method, which older peers ignore"),
        Change(
            "enum Item\n  a\n  b", "enum Item\n  a",
            "Item.b: case removed | \(unreadToNewFront) → keep the case, and stop sending it"),
        Change(
            "enum Item\n  a\n    x  Int\n    y  Int", "enum Item\n  a\n    x  Int?",
            "Item.a.x: type changed from Int to Int? | \(unreadToOldFront) "
                + "→ keep it mandatory, or add an optional field beside it",
            "Item.a.y: field removed | \(unreadToOldFront) "
                + "→ keep the field until no older peer is in use"),
        Change(
            "enum Item  String\n  a  \"a\"", "enum Item  String\n  a  \"a\"\n  b  \"b\"",
            "Item.b: case added | \(unreadToOldFront) → send it in a new optional field or by a "
                + "new method, which older peers ignore"),
        Change(
            "enum Item  String\n  a  \"a\"\n  b  \"b\"", "enum Item  String\n  a  \"a\"",
            "Item.b: case removed | \(unreadToNewFront) → keep the case, and stop sending it"),
        Change(
            "enum Item  String\n  a  \"a\"", "enum Item  String\n  a  \"A\"",
            "Item.a: raw value changed from \"a\" to \"A\" | \(unreadToOldFront) | "
                + "\(unreadToNewFront) "
                + "→ keep the raw value \"a\": it travels, the case's name does not"),
        Change("enum Item  String\n  a  \"a\"", "enum Item  String\n  z  \"a\""),
        Change(
            "enum Item  Int\n  a  \"1\"", "enum Item  String\n  a  \"1\"",
            "Item: type changed from Int to String | \(unreadToOldFront) | \(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change(
            "enum Item  String\n  a  \"a\"", "raw Item  String",
            "Item: any raw value may come now | \(unreadToOldFront) "
                + "→ keep the type, and add an optional field with the new one"),
        Change(
            "raw Item  String", "enum Item  String\n  a  \"a\"",
            "Item: only some raw values are read now | \(unreadToNewFront) "
                + "→ keep the type, and add an optional field with the new one"),
        Change(
            "enum Item\n  a", "struct Item\n  a  Int",
            "f show(_:) item: type changed from Item to Item | \(unreadToOldFront) | "
                + "\(unreadToNewFront) "
                + "→ keep it, and add an optional field or a method with the new type"),
        Change("opaque Item", "struct Item\n  a  Int"),
    ]

    @Test(arguments: shownEnums) func `a type that is shown`(change: Change) throws {
        let old = try Self.schema(Self.shows, change.old)
        let new = try Self.schema(Self.shows, change.new)
        let changes = ContractComparison.changes(from: old, to: new)
        #expect(Self.describe(changes) == change.expected)
    }

    @Test func `types may contain themselves, and be called otherwise`() throws {
        let old = try Self.schema(Self.shows, "struct Item\n  a  [Item]\n  b  Item?\n  c  Int")
        let new = try Self.schema(
            "  state show(_:)\n    _ item  Node", "struct Node\n  a  [Node]\n  b  Node?")
        #expect(
            Self.describe(ContractComparison.changes(from: old, to: new)) == [
                "Item.c: field removed | \(unreadToOldFront) "
                    + "→ keep the field until no older peer is in use"
            ])
    }

    @Test func `a long chain of types from a peer is compared without depth`() throws {
        let count = 50_000
        let chain = (0..<count).map { "struct T\($0)\n  next  T\($0 + 1)?" }
        let old = try Self.schema(
            "  state show(_:)\n    _ item  T0",
            chain.joined(separator: "\n") + "\nstruct T\(count)\n  a  Int\n  next  T0?")
        let new = try Self.schema(Self.shows, "struct Item\n  next  Item?")
        let changes = ContractComparison.changes(from: old, to: new)
        #expect(changes.map(\.summary) == ["T\(count).a: field removed"])
    }
}
