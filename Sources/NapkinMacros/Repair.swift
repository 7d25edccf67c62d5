// Repair: the changes that fix-its make to a declaration.
//
// Layer      compile time only.
// Isolation  value
// Invariant  what stands before the declaration stays before it.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

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
        _ modifier: DeclModifierSyntax, from declaration: some WithModifiersSyntax
    ) -> FixIt {
        var changed = declaration
        changed.modifiers = declaration.modifiers.filter { $0.id != modifier.id }
        changed.leadingTrivia = declaration.leadingTrivia
        return .replacing(declaration, by: changed, "remove '\(modifier.trimmedDescription)'")
    }
}
