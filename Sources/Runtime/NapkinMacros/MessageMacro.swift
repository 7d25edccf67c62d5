// MessageMacro: `@Message`, which adds conformances and direct coding to a struct or enum.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds `Codable`, whose coding the compiler synthesizes, `Sendable`, and `DirectlyCodable`.
struct MessageMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var refusals = MacroDiagnostics()
        let message = MessageInspection.inspect(
            declaration, attribute: node, lexicalContext: context.lexicalContext, &refusals)
        guard refusals.isEmpty, let message else {
            refusals.report(to: context)
            return []
        }
        let declared = declaration.inheritanceClause?.inheritedTypes.compactMap(\.type.baseName)
        var missing = protocols.compactMap(\.baseName).filter { !(declared ?? []).contains($0) }
        if missing.contains("Encodable") && missing.contains("Decodable") {
            missing = ["Codable"] + missing.filter { $0 != "Encodable" && $0 != "Decodable" }
        }
        guard !missing.isEmpty else { return [] }
        let conformances = missing.map(qualified).joined(separator: ", ")
        var source = Source()
        source.block("nonisolated extension \(type.trimmedDescription): \(conformances)") {
            message.addCoding(to: &$0)
            message.addDescription(as: type.trimmedDescription, to: &$0)
        }
        return [try ExtensionDeclSyntax("\(raw: source.text)")]
    }

    private static func qualified(_ name: String) -> String {
        name == "DirectlyCodable" ? "\(Qualified.coding).\(name)" : "Swift.\(name)"
    }
}

/// Adds a memberwise initializer to a `public` or `package` struct that declares no initializer.
extension MessageMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The extension macro refuses what cannot be a message.
        var refusals = MacroDiagnostics()
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
                + (property.field.defaultValue.map { " = \($0)" } ?? "")
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
