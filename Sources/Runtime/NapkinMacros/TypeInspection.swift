// TypeInspection: refuses types that cannot cross, as far as their spelling shows it.
//
// Isolation  confined: a search lives for one call
//
// The generated code catches what only the compiler knows (that a name is a class, or is not
// `Codable`): `Crossing.addRequirement`.

import SwiftSyntax

enum TypeInspection {
    /// Refuses the first part of `type` that cannot cross. `role` is "an argument" or "a result".
    static func refuse(_ type: TypeSyntax, as role: String, _ refusals: inout MacroDiagnostics) {
        let search = Search(viewMode: .sourceAccurate)
        search.walk(type)
        guard let found = search.found else { return }
        refusals.refuse(found.node, found.rule, "\(role) of a crossing \(found.advice)")
    }

    /// Returns the types that `type` consists of, as they are written, without those of the
    /// standard library that certainly cross.
    static func names(in type: TypeSyntax) -> [String] {
        let search = NameSearch(viewMode: .sourceAccurate)
        search.walk(type)
        return search.names
    }
}

/// Collects the names of types, each once.
private final class NameSearch: SyntaxVisitor {
    private(set) var names: [String] = []

    private static let certain: Set = [
        "Array", "Bool", "Dictionary", "Double", "Float", "Int", "Int8", "Int16", "Int32", "Int64",
        "Optional", "Set", "String", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        if !Self.certain.contains(node.name.text) { add(node.name.text) }
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        add(node.trimmedDescription)
        return .skipChildren
    }

    private func add(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }
}

/// Stops at the first type that cannot cross.
private final class Search: SyntaxVisitor {
    struct Finding {
        var node: Syntax
        var rule: String
        var advice: String
    }

    private(set) var found: Finding?

    private func find(
        _ node: some SyntaxProtocol, _ rule: String, _ advice: String
    ) -> SyntaxVisitorContinueKind {
        if found == nil { found = Finding(node: Syntax(node), rule: rule, advice: advice) }
        return .skipChildren
    }

    override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
        find(
            node, "functionType",
            "cannot be a function: code does not cross; send a value, and an event back")
    }

    override func visit(_ node: SomeOrAnyTypeSyntax) -> SyntaxVisitorContinueKind {
        let word = node.someOrAnySpecifier.text
        return find(
            node, word == "some" ? "opaqueType" : "existentialType",
            "cannot be '\(node.trimmedDescription)': the other side must know the type; name a "
                + "'@Message' struct or enum")
    }

    override func visit(_ node: TupleTypeSyntax) -> SyntaxVisitorContinueKind {
        // `(Int)` is `Int`.
        if node.elements.count == 1 { return .visitChildren }
        return find(
            node, "tupleType",
            "cannot be a tuple, which is not 'Codable'; write a '@Message' struct")
    }

    override func visit(_ node: ImplicitlyUnwrappedOptionalTypeSyntax)
        -> SyntaxVisitorContinueKind
    {
        find(
            node, "unwrappedOptional",
            "cannot be unwrapped implicitly; write '\(node.wrappedType.trimmedDescription)?'")
    }

    override func visit(_ node: MetatypeTypeSyntax) -> SyntaxVisitorContinueKind {
        find(node, "metatype", "cannot be a type; send a value that names it")
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        guard ["Any", "AnyObject", "Self"].contains(node.name.text) else { return .visitChildren }
        return find(
            node, "existentialType",
            "cannot be '\(node.name.text)': the other side must know the type; name a '@Message' "
                + "struct or enum")
    }

    override func visit(_ node: AttributedTypeSyntax) -> SyntaxVisitorContinueKind {
        if let specifier = node.specifiers.first {
            let word = specifier.trimmedDescription
            return find(
                specifier, word == "inout" ? "inoutParameter" : "specifier",
                word == "inout"
                    ? "cannot be 'inout': the other side gets a copy; return the new value"
                    : "is a copy; remove '\(word)'")
        }
        // An attribute such as `@escaping` belongs to a function, which has the better message.
        if let attribute = node.attributes.first, !node.baseType.is(FunctionTypeSyntax.self) {
            return find(
                attribute, "attributedType",
                "is a plain value; remove '\(attribute.trimmedDescription)'")
        }
        return .visitChildren
    }
}
