// CrossingMacro: `@Crossing`, which generates types next to a protocol.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Checks the protocol, then writes `PSender`, `PReceiver` and `PCrossing`, and for a presentable
/// `PMessage`.
struct CrossingMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var refusals = Refusals()
        let crossing = CrossingInspection.inspect(
            declaration, attribute: node, lexicalContext: context.lexicalContext, &refusals)
        guard refusals.isEmpty, let crossing else {
            refusals.report(to: context)
            return []
        }
        let ends = [crossing.senderSource, crossing.receiverSource, crossing.contractSource]
        // A view's events are written as they are sent: nobody keeps one as a value.
        let all = crossing.side == .presentable ? [crossing.messageSource] + ends : ends
        return all.map { DeclSyntax(stringLiteral: $0.text) }
    }
}
