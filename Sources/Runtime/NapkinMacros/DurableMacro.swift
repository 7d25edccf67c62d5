// DurableMacro: `@Durable`, which makes an interactor report the changes of its `state`.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds `durability`, the observer of `state`, and the conformance to `DurableInteractable`.
enum DurableMacro {
    /// Returns the parsed interactor; nil if it is refused.
    private static func inspect(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax,
        in context: some MacroExpansionContext, isReporting: Bool = false
    ) -> Durable? {
        var refusals = MacroDiagnostics()
        let durable = DurableInspection.inspect(
            declaration, attribute: node, lexicalContext: context.lexicalContext, &refusals)
        if isReporting { refusals.report(to: context) }
        return refusals.isEmpty ? durable : nil
    }

    /// Whether this is not the first `@Durable` here: each is expanded separately, and one reports.
    private static func isRepeated(
        _ node: AttributeSyntax, of declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) -> Bool {
        let marks = declaration.attributes.all(named: "Durable")
        guard marks.count > 1, let own = context.location(of: node),
            let first = context.location(of: marks[0])
        else { return false }
        return "\(own.line):\(own.column)" != "\(first.line):\(first.column)"
    }
}

extension DurableMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The other roles refuse the same code silently.
        let isReporting = !isRepeated(node, of: declaration, in: context)
        guard
            let durable = inspect(declaration, node, in: context, isReporting: isReporting),
            !durable.declaresNode
        else { return [] }
        return [
            """
            /// Reports the changes of `state`.
            \(raw: durable.access)nonisolated let durability = \(raw: Qualified.core).DurableNode()
            """
        ]
    }
}

extension DurableMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard member.as(VariableDeclSyntax.self)?.isState == true,
            inspect(declaration, node, in: context) != nil
        else { return [] }
        return ["@\(raw: Qualified.core).ReportsChanges"]
    }
}

extension DurableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let name = "DurableInteractable"
        guard protocols.contains(where: { $0.baseName == name }),
            !MessageInspection.inherits(declaration, [name]),
            inspect(declaration, node, in: context) != nil
        else { return [] }
        return [
            try ExtensionDeclSyntax(
                "extension \(raw: type.trimmedDescription): \(raw: Qualified.core).\(raw: name) {}")
        ]
    }
}

/// Generates the observer of a durable state.
struct ReportsChangesMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        // It does not name `oldValue`: the state is then changed in place, not copied.
        ["didSet { durability.changed() }"]
    }
}

/// Generates nothing. Refuses a place where no `@Durable` would see the mark; `@Durable` itself
/// checks the marked property.
struct VolatileMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let enclosing = context.lexicalContext.first?.as(ActorDeclSyntax.self)
        if let enclosing, enclosing.attributes.contains(named: "Durable") { return [] }
        let marked = declaration.asProtocol((any WithAttributesSyntax).self)
        let mark = marked?.attributes.attribute(named: "Volatile")
        var fixes: [FixIt] = []
        if enclosing == nil, let marked, let mark { fixes = [.removing(mark, from: marked)] }
        var refusals = MacroDiagnostics()
        refusals.refuse(
            node, "misplacedVolatile",
            "'@Volatile' marks a stored 'var' of a '@Durable' actor; "
                + (enclosing == nil ? "remove it" : "add '@Durable' to the actor"), fixes)
        refusals.report(to: context)
        return []
    }
}
