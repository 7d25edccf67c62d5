// MethodComparisonTests: changes of features and their methods, with the exact words for them.

import NapkinCore
import Testing

@Suite("From one feature to the next")
struct MethodComparisonTests {
    static let methods: [Change] = [
        Change("  state a()\n  event b()", "  event b()\n  state a()"),
        Change(
            "", "  state a()",
            "f a(): state added | a newer front shows it, and an older worker never presents it"),
        Change(
            "", "  effect a()",
            "f a(): effect added | a newer front shows it, and an older worker never presents it"),
        Change(
            "", "  event a()",
            "f a(): event added | a newer front sends it, and an older worker does not know it"),
        Change(
            "", "  ask a()  throws\n    ->  Int",
            "f a(): ask added | an older front is asked by a newer worker and cannot answer "
                + "→ present a state and take an event: an older front ignores both"),
        Change(
            "  state a()", "",
            "f a(): state removed | an older front shows it, and a newer worker never presents it "
                + "→ keep the method until no older front is in use"),
        Change(
            "  effect a()", "",
            "f a(): effect removed | an older front shows it, and a newer worker never presents it "
                + "→ keep the method until no older front is in use"),
        Change(
            "  event a()", "",
            "f a(): event removed | an older front sends it, and a newer worker does not know it "
                + "→ keep the method until no older front is in use"),
        Change(
            "  ask a()  throws\n    ->  Int", "",
            "f a(): ask removed | a newer front is asked by an older worker and cannot answer"),
        Change(
            "  state a(x:)\n    x  Int", "  state a(y:)\n    y  Int",
            "f a(y:): state added | a newer front shows it, and an older worker never presents it",
            "f a(x:): state removed | an older front shows it, and a newer worker never presents "
                + "it → keep the method until no older front is in use"),
        Change(
            "  state a()", "  effect a()",
            "f a(): delivery changed from state to effect | an older front is sent what it does "
                + "not expect: a state is replayed and merged, an effect is not | a newer front is "
                + "sent by an older worker what it does not expect "
                + "→ keep the method, and add one with another name"),
        Change(
            "  state a(_:)\n    _ x  Int", "  state a(_:)\n    _ y  Int",
            "f a(_:): parameter 'x' is now called 'y'"),
        Change(
            "  event a()", "  event a()  throws",
            "f a(): may throw now | an older front does not notice that it failed "
                + "→ keep the method, and add one with another name"),
        Change(
            "  event a()  throws", "  event a()",
            "f a(): does not throw any more | a newer front does not notice that it failed at an "
                + "older worker → keep the method, and add one with another name"),
        Change(
            "  event a()  throws", "  event a()  throws\n    ->  Int",
            "f a(): result Int added | a newer front waits for a result that an older worker does "
                + "not send → keep the method, and add one with another name"),
        Change(
            "  event a()  throws\n    ->  Int", "  event a()  throws",
            "f a(): result Int removed | an older front waits for a result that a newer worker "
                + "does not send → keep the method, and add one with another name"),
        Change(
            "  event a()  throws\n    ->  Int?", "  event a()  throws\n    ->  Int",
            "f a() result: type changed from Int? to Int | a newer front cannot read what an older "
                + "worker sends → leave it optional"),
        Change(
            "  ask a()  throws\n    ->  Int?", "  ask a()  throws\n    ->  Int",
            "f a() result: type changed from Int? to Int | a newer worker cannot read what an "
                + "older front sends → leave it optional"),
        Change(
            "  event a(x:y:)\n    x  Int\n    y  Int", "  event a(x:y:)\n    x  Int\n    y  Int?",
            "f a(x:y:) y: type changed from Int to Int? | an older worker cannot read what a newer "
                + "front sends → keep it mandatory, or add an optional field beside it"),
        Change(
            "  arguments  Guest", "",
            "Guest.name: field removed | an older front cannot read what a newer worker sends "
                + "→ keep the field until no older peer is in use"),
        Change(
            "", "  arguments  Guest",
            "NoArguments.name: field added, String | a newer front cannot read what an older "
                + "worker sends → give it a default, or make it String?"),
    ]

    private static func schema(_ methods: String) throws -> AppSchema {
        try SchemaText.schema(
            from: "app a\nfeature f\n\(methods)\nstruct Guest\n  name  String\n")
    }

    private static func describe(_ changes: [ContractChange]) -> [String] {
        changes.map { change in
            ([change.summary] + change.breakages.map(\.reason)).joined(separator: " | ")
                + (change.advice.map { " → \($0)" } ?? "")
        }
    }

    @Test(arguments: methods) func `a method`(change: Change) throws {
        let changes = ContractComparison.changes(
            from: try Self.schema(change.old), to: try Self.schema(change.new))
        #expect(Self.describe(changes) == change.expected)
    }

    @Test func `a feature that comes or goes breaks nobody`() throws {
        let old = try SchemaText.schema(from: "app a\nfeature f\n  event x()\nfeature g\n")
        let new = try SchemaText.schema(from: "app a\nfeature g\nfeature h\n  event x()\n")
        #expect(
            Self.describe(ContractComparison.changes(from: old, to: new)) == [
                "h: feature added", "f: feature removed",
            ])
    }

    @Test func `whom a change breaks decides who may refuse it`() throws {
        func change(_ old: String, _ new: String) throws -> ContractChange {
            let changes = ContractComparison.changes(
                from: try Self.schema(old), to: try Self.schema(new))
            return try #require(changes.first)
        }
        let added = try change("", "  event a()")
        #expect(!added.breaksOlderFronts && added.breakages.map(\.front) == [.newer])
        let removed = try change("  event a()", "")
        #expect(removed.breakages.map(\.front) == [.older])
        let renamed = try change("  event a(_:)\n    _ x  Int", "  event a(_:)\n    _ y  Int")
        #expect(renamed.breakages.isEmpty)
        #expect(removed.consequence == removed.breakages.first?.reason)
    }
}
