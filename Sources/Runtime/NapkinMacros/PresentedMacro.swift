// PresentedMacro: `@Presented`, which generates the method of a state that a presenter stores, and
// `#presenter`, which checks a presenter.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Generates `present(name:)` beside `var name: Type`.
struct PresentedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            variable.bindingSpecifier.tokenKind == .keyword(.var),
            !variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.static) }),
            variable.bindings.count == 1, let binding = variable.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
            let type = binding.typeAnnotation?.type.trimmed
        else {
            var refusals = MacroDiagnostics()
            refusals.refuse(
                node, "misplacedPresented",
                "'@Presented' marks one variable of a presenter, whose type is written out: "
                    + "'@Presented var count: Int = 0'")
            refusals.report(to: context)
            return []
        }
        // The copy in which `@Observable` keeps the value has the same attributes.
        guard !name.hasPrefix("_") else { return [] }
        let access = variable.modifiers.first(where: \.isOutward).map { "\($0.name.text) " } ?? ""
        // While nothing has been presented, the variable may be nil although the contract's value
        // may not; the contract decides which of the two methods it requires.
        let wrapped = type.as(OptionalTypeSyntax.self)?.wrappedType.trimmed
        return [type, wrapped].compactMap(\.self).map { type in
            """
            \(raw: access)func present(\(raw: name): \(type)) async {
                self.\(raw: name) = \(raw: name)
            }
            """
        }
    }
}

/// Becomes `\.self`, which converts a model to its contract where both types are known.
struct PresenterMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) -> ExprSyntax {
        #"\.self"#
    }
}
