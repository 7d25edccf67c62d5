// MarkMacro: `@Effect`, `@Append`, `@Provisional` and `@Secret`, marks that `@Crossing` reads.

import SwiftSyntax
import SwiftSyntaxMacros

/// Generates nothing. Refuses a place where no `@Crossing` would see the mark; `@Crossing` itself
/// checks the marked method.
struct MarkMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let enclosing = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
        if let enclosing, enclosing.attributes.contains(named: "Crossing") { return [] }
        let mark = node.attributeName.baseName ?? ""
        let base = mark == "Secret" ? "PresentableListener" : "Presentable"
        var refusals = MacroDiagnostics()
        refusals.refuse(
            node, "misplaced\(mark)",
            "'@\(mark)' marks a method of a '@Crossing' protocol that inherits '\(base)'; "
                + (enclosing == nil ? "remove it" : "add '@Crossing' to the protocol"))
        refusals.report(to: context)
        return []
    }
}

extension AttributeListSyntax {
    /// Returns whether there is an attribute with this name, with or without its module.
    func contains(named name: String) -> Bool { attribute(named: name) != nil }

    func attribute(named name: String) -> AttributeSyntax? { all(named: name).first }

    func all(named name: String) -> [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }.filter { $0.attributeName.baseName == name }
    }
}

extension TypeSyntax {
    /// The last component of a plain type name, `Presentable` of `NapkinCore.Presentable`.
    var baseName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text.bare }
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text.bare }
        return nil
    }
}
