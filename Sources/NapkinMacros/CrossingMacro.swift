// CrossingMacro: `@Crossing`, which generates four types next to a protocol.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Checks the protocol, then writes `PMessage`, `PSender`, `PReceiver` and `PCrossing`.
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
        return [
            crossing.messageSource, crossing.senderSource, crossing.receiverSource,
            crossing.contractSource,
        ].map { DeclSyntax(stringLiteral: $0.text) }
    }
}
