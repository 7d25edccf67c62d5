// MacroDiagnostic: a rule that a declaration breaks, and the way out.
//
// Invariant  a declaration that was refused expands to nothing: one cause, one message.
//            Text before a repaired declaration stays before it.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

struct MacroDiagnostic: DiagnosticMessage {
    let name: String
    let message: String

    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "Napkin", id: name) }
}

/// The text of a fix-it.
struct FixItText: FixItMessage {
    let name: String
    let message: String

    var fixItID: MessageID { MessageID(domain: "Napkin", id: name) }
}

/// The mistakes found so far.
struct MacroDiagnostics {
    private(set) var all: [Diagnostic] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func refuse(
        _ node: some SyntaxProtocol, _ name: String, _ message: String, _ fixes: [FixIt] = []
    ) {
        all.append(
            Diagnostic(
                node: Syntax(node), message: MacroDiagnostic(name: name, message: message),
                fixIts: fixes))
    }

    func report(to context: some MacroExpansionContext) {
        for diagnostic in all { context.diagnose(diagnostic) }
    }
}

extension FixIt {
    static func replacing(
        _ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String
    ) -> FixIt {
        FixIt(
            message: FixItText(name: "replace", message: message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}

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
