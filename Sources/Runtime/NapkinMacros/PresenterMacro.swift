// PresenterMacro: `#presenter`, which lets the compiler check a model where it is registered.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Becomes `\.self`, which converts a model to its contract where both types are known.
struct PresenterMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) -> ExprSyntax {
        #"\.self"#
    }
}
