// Repair: the changes that fix-its make to a declaration.
//
// Invariant  what stands before the declaration stays before it.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension WithAttributesSyntax {
    /// Returns the declaration with `@name` before everything else.
    func adding(attribute name: String) -> Self {
        var changed = self
        changed.leadingTrivia = []
        let attribute = AttributeSyntax(
            attributeName: TypeSyntax(stringLiteral: name), trailingTrivia: .space)
        changed.attributes.insert(.attribute(attribute), at: changed.attributes.startIndex)
        changed.leadingTrivia = leadingTrivia
        return changed
    }
}

extension DeclGroupSyntax where Self: NamedDeclSyntax {
    /// Returns the type or protocol with `base` before everything else that it inherits.
    func inheriting(_ base: String) -> Self {
        var inherited = InheritedTypeSyntax(type: TypeSyntax(stringLiteral: base))
        var changed = self
        if let clause = inheritanceClause {
            inherited.trailingComma = .commaToken(trailingTrivia: .space)
            var types = Array(clause.inheritedTypes)
            types.insert(inherited, at: 0)
            changed.inheritanceClause?.inheritedTypes = InheritedTypeListSyntax(types)
        } else {
            changed.name.trailingTrivia = []
            changed.inheritanceClause = InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space),
                inheritedTypes: [inherited], trailingTrivia: .space)
        }
        return changed
    }
}

extension FixIt {
    static func removing(
        _ attribute: AttributeSyntax, from declaration: some WithAttributesSyntax
    ) -> FixIt {
        var changed = declaration
        changed.attributes = declaration.attributes.filter { $0.id != attribute.id }
        changed.leadingTrivia = declaration.leadingTrivia
        return .replacing(declaration, by: changed, "remove '\(attribute.trimmedDescription)'")
    }

    static func removing(
        _ modifier: DeclModifierSyntax, from declaration: some WithModifiersSyntax
    ) -> FixIt {
        var changed = declaration
        changed.modifiers = declaration.modifiers.filter { $0.id != modifier.id }
        changed.leadingTrivia = declaration.leadingTrivia
        return .replacing(declaration, by: changed, "remove '\(modifier.trimmedDescription)'")
    }
}
