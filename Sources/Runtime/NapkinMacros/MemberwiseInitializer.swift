// MemberwiseInitializer: gives a message's struct the initializer that Swift gives only to its own
// module.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds a memberwise initializer to a `public` or `package` struct that declares no initializer.
extension MessageMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The extension macro refuses what cannot be a message.
        var refusals = Refusals()
        let message = MessageInspection.inspect(
            declaration, attribute: node, lexicalContext: context.lexicalContext, &refusals)
        guard refusals.isEmpty, let message, !message.access.isEmpty,
            case .structure = message.shape,
            !StructInspection.hasInitializer(declaration)
        else { return [] }
        let properties = StructInspection.properties(of: declaration, &refusals)
            .filter { !$0.field.isConstant }
        let parameters = properties.map { property in
            "\(property.field.name): \(property.field.typeText)"
                + (property.defaultValue.map { " = \($0)" } ?? "")
        }
        var source = Source()
        source.line("/// Creates a value of its fields.")
        source.line("\(message.access)nonisolated init(")
        source.indented { $0.line(parameters.joined(separator: ", ")) }
        source.block(")") {
            for property in properties {
                $0.line("self.\(property.field.name) = \(property.field.name)")
            }
        }
        return [DeclSyntax("\(raw: source.text)")]
    }
}
