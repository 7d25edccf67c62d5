// ContractComparisonTests: the words for each kind of change; whom each breaks, the vectors say.

import NapkinCore
import Testing

/// What one change must be called.
struct Change: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    /// A line for each change: `summary`, then ` | reason` for each breakage, then ` → advice`.
    var expected: [String]

    /// Two schemas, without the line of their app.
    init(_ old: String, _ new: String, _ expected: [String]) {
        (self.old, self.new, self.expected) = (old, new, expected)
    }

    var testDescription: String { expected.joined(separator: " / ") }

    var found: [ContractChange] {
        get throws {
            ContractComparison.changes(
                from: try SchemaText.schema(from: "app a\n\(old)\n"),
                to: try SchemaText.schema(from: "app a\n\(new)\n"))
        }
    }
}

private let unreadToOldFront = "an older front cannot read what a newer worker sends"
private let unreadToNewFront = "a newer front cannot read what an older worker sends"
private let unreadFromOldFront = "a newer worker cannot read what an older front sends"
private let unreadFromNewFront = "an older worker cannot read what a newer front sends"
private let keepType = "keep it, and add an optional field or a method with the new type"
private let keepMethod = "keep the method, and add one with another name"
private let keepUnused = "keep the method until no older front is in use"

private let shows = "feature f\n  state show(_:)\n    _ item  Item\n"
private let takes = "feature f\n  event take(_:)\n    _ item  Item\n"

/// A type that is shown.
private func type(_ old: String, _ new: String, _ expected: String...) -> Change {
    Change(shows + old, shows + new, expected)
}

/// Fields of a struct that is shown.
private func field(_ old: String, _ new: String, _ expected: String...) -> Change {
    Change(shows + "struct Item\n  \(old)", shows + "struct Item\n  \(new)", expected)
}

private func method(_ old: String, _ new: String, _ expected: String...) -> Change {
    let guest = "\nstruct Guest\n  name  String"
    return Change("feature f\n" + old + guest, "feature f\n" + new + guest, expected)
}

private let types: [Change] = [
    field(
        "a  Int\n  b  String", "b  String",
        "Item.a: field removed | \(unreadToOldFront) "
            + "→ keep the field until no older peer is in use"),
    field(
        "b  String", "a  Int\n  b  String",
        "Item.a: field added, Int | \(unreadToNewFront) → give it a default, or make it Int?"),
    field(
        "a  Int\n  b  String", "z  Int\n  b  String",
        "Item.a: field removed, or renamed to 'z' | \(unreadToOldFront) → keep the field; for "
            + "another name in Swift alone, keep its key: case z = \"a\" in CodingKeys",
        "Item.z: field added, Int | \(unreadToNewFront) → give it a default, or make it Int?"),
    field(
        "a  Int", "a  String",
        "Item.a: type changed from Int to String | \(unreadToOldFront) | \(unreadToNewFront) "
            + "→ \(keepType)"),
    field(
        "a  Int", "a  Int?",
        "Item.a: type changed from Int to Int? | \(unreadToOldFront) "
            + "→ keep it mandatory, or add an optional field beside it"),
    field(
        "a  Int?", "a  Int",
        "Item.a: type changed from Int? to Int | \(unreadToNewFront) → leave it optional"),
    field(
        "a  [String: [Int?]]", "a  [String: [Int]]",
        "Item.a: type changed from [String: [Int?]] to [String: [Int]] | \(unreadToNewFront) "
            + "→ \(keepType)"),
    field("a  Int", "a  Int = default", "Item.a: default added"),
    field("a  Int = default", "a  Int", "Item.a: default removed"),
    type(
        "enum Item\n  a", "enum Item\n  a\n  b",
        "Item.b: case added | \(unreadToOldFront) → send it in a new optional field or by a "
            + "new method, which older peers ignore"),
    type(
        "enum Item\n  a\n  b", "enum Item\n  a",
        "Item.b: case removed | \(unreadToNewFront) → keep the case, and stop sending it"),
    type(
        "enum Item\n  a\n    x  Int\n    y  Int", "enum Item\n  a\n    x  Int?",
        "Item.a.x: type changed from Int to Int? | \(unreadToOldFront) "
            + "→ keep it mandatory, or add an optional field beside it",
        "Item.a.y: field removed | \(unreadToOldFront) "
            + "→ keep the field until no older peer is in use"),
    type(
        "enum Item  String\n  a  \"a\"", "enum Item  String\n  a  \"A\"",
        "Item.a: raw value changed from \"a\" to \"A\" | \(unreadToOldFront) | "
            + "\(unreadToNewFront) "
            + "→ keep the raw value \"a\": it travels, the case's name does not"),
    type(
        "enum Item  Int\n  a  \"1\"", "enum Item  String\n  a  \"1\"",
        "Item: type changed from Int to String | \(unreadToOldFront) | \(unreadToNewFront) "
            + "→ \(keepType)"),
    type(
        "enum Item  String\n  a  \"a\"", "raw Item  String",
        "Item: any raw value may come now | \(unreadToOldFront) "
            + "→ keep the type, and add an optional field with the new one"),
    type(
        "raw Item  String", "enum Item  String\n  a  \"a\"",
        "Item: only some raw values are read now | \(unreadToNewFront) "
            + "→ keep the type, and add an optional field with the new one"),
    type(
        "enum Item\n  a", "struct Item\n  a  Int",
        "f show(_:) item: type changed from Item to Item | \(unreadToOldFront) | "
            + "\(unreadToNewFront) → \(keepType)"),
    Change(
        takes + "struct Item\n  a  Int\n  b  Int?\n  c  Int32",
        takes + "struct Item\n  b  Int\n  c  Int\n  d  Bool",
        [
            "Item.a: field removed | \(unreadFromNewFront) "
                + "→ keep the field until no older peer is in use",
            "Item.b: type changed from Int? to Int | \(unreadFromOldFront) → leave it optional",
            "Item.c: type changed from Int32 to Int | \(unreadFromNewFront) → \(keepType)",
            "Item.d: field added, Bool | \(unreadFromOldFront) "
                + "→ give it a default, or make it Bool?",
        ]),
    // Only a front may leave out a field that has a default.
    Change(
        takes + "struct Item\n  a  Int\n  b  Int = default",
        takes + "struct Item\n  a  Int = default\n  b  Int\n  c  Int = default",
        [
            "Item.a: default added | \(unreadFromNewFront)",
            "Item.b: default removed | \(unreadFromOldFront) "
                + "→ leave its initial value until no older front is in use",
            "Item.c: field added, Int",
        ]),
    // What goes both ways is one change.
    Change(
        shows + takes.dropFirst("feature f\n".count) + "struct Item\n  a  Int",
        shows + takes.dropFirst("feature f\n".count) + "struct Item\n  a  Int\n  b  Int",
        [
            "Item.b: field added, Int | \(unreadFromOldFront) | \(unreadToNewFront) "
                + "→ give it a default, or make it Int?"
        ]),
]

private let methods: [Change] = [
    method(
        "", "  state a()",
        "f a(): state added | a newer front shows it, and an older worker never presents it"),
    method(
        "", "  event a()",
        "f a(): event added | a newer front sends it, and an older worker does not know it"),
    method(
        "", "  ask a()  throws\n    ->  Int",
        "f a(): ask added | an older front is asked by a newer worker and cannot answer "
            + "→ present a state and take an event: an older front ignores both"),
    method(
        "  effect a()", "",
        "f a(): effect removed | an older front shows it, and a newer worker never presents it "
            + "→ \(keepUnused)"),
    method(
        "  event a()", "",
        "f a(): event removed | an older front sends it, and a newer worker does not know it "
            + "→ \(keepUnused)"),
    method(
        "  ask a()  throws\n    ->  Int", "",
        "f a(): ask removed | a newer front is asked by an older worker and cannot answer"),
    method(
        "  state a()", "  effect a()",
        "f a(): delivery changed from state to effect | an older front is sent what it does "
            + "not expect: a state is replayed and merged, an effect is not | a newer front is "
            + "sent by an older worker what it does not expect → \(keepMethod)"),
    method(
        "  state a(_:)\n    _ x  Int", "  state a(_:)\n    _ y  Int",
        "f a(_:): parameter 'x' is now called 'y'"),
    method(
        "  event a()", "  event a()  throws",
        "f a(): may throw now | an older front does not notice that it failed → \(keepMethod)"),
    method(
        "  event a()  throws", "  event a()",
        "f a(): does not throw any more | a newer front does not notice that it failed at an "
            + "older worker → \(keepMethod)"),
    method(
        "  event a()  throws", "  event a()  throws\n    ->  Int",
        "f a(): result Int added | a newer front waits for a result that an older worker does "
            + "not send → \(keepMethod)"),
    method(
        "  event a()  throws\n    ->  Int", "  event a()  throws",
        "f a(): result Int removed | an older front waits for a result that a newer worker "
            + "does not send → \(keepMethod)"),
    method(
        "  event a()  throws\n    ->  Int?", "  event a()  throws\n    ->  Int",
        "f a() result: type changed from Int? to Int | \(unreadToNewFront) → leave it optional"),
    method(
        "  ask a()  throws\n    ->  Int?", "  ask a()  throws\n    ->  Int",
        "f a() result: type changed from Int? to Int | \(unreadFromOldFront) → leave it optional"),
    method(
        "", "  arguments  Guest",
        "NoArguments.name: field added, String | \(unreadToNewFront) "
            + "→ give it a default, or make it String?"),
    Change(
        "feature f\n  event x()\nfeature g", "feature g\nfeature h\n  event x()",
        ["h: feature added", "f: feature removed"]),
]

@Suite("From one contract to the next")
struct ContractComparisonTests {
    @Test(arguments: types + methods)
    func `a change is named, with whom it breaks and what to do instead`(_ change: Change) throws {
        let lines = try change.found.map { found in
            ([found.summary] + found.breakages.map(\.reason)).joined(separator: " | ")
                + (found.advice.map { " → \($0)" } ?? "")
        }
        #expect(lines == change.expected)
    }

    @Test func `whom a change breaks decides who may refuse it`() throws {
        func first(_ old: String, _ new: String) throws -> ContractChange {
            try #require(try method(old, new).found.first)
        }
        let added = try first("", "  event a()")
        #expect(!added.breaksOlderFronts)
        let removed = try first("  event a()", "")
        #expect(removed.breaksOlderFronts)
        let renamed = try first("  event a(_:)\n    _ x  Int", "  event a(_:)\n    _ y  Int")
        #expect(!renamed.breaksOlderFronts)
        #expect(removed.consequence == removed.breakages.first?.reason)
    }

    @Test func `a long chain of types from a peer is compared without depth`() throws {
        let count = 50_000
        let chain = (0..<count).map { "struct T\($0)\n  next  T\($0 + 1)?\n" }
        let changes = try Change(
            "feature f\n  state show(_:)\n    _ item  T0\n" + chain.joined()
                + "struct T\(count)\n  a  Int\n  next  T0?",
            shows + "struct Item\n  next  Item?", []
        ).found
        #expect(changes.map(\.summary) == ["T\(count).a: field removed"])
    }
}
