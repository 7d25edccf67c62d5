// CodingKeysInspection: the coding keys that a type has chosen.

import SwiftParser
import SwiftSyntax

/// The cases of a type's `CodingKeys` in their order, which is the order of the encoding.
struct ChosenKeys {
    var keys: [(name: String, key: String)]

    func key(of name: String) -> String? { keys.first { $0.name == name }?.key }
}

enum CodingKeysInspection {
    /// Returns the keys; nil if there are none, or if they were refused.
    static func inspect(
        _ declaration: some DeclGroupSyntax, _ refusals: inout Refusals
    ) -> ChosenKeys? {
        for member in declaration.memberBlock.members {
            if let keys = member.decl.as(EnumDeclSyntax.self), keys.name.text == "CodingKeys" {
                return inspect(keys, &refusals)
            }
            let named = member.decl.asProtocol((any NamedDeclSyntax).self)
            if named?.name.text == "CodingKeys" {
                refuse(member.decl, &refusals)
                return nil
            }
        }
        return nil
    }

    private static func inspect(
        _ keys: EnumDeclSyntax, _ refusals: inout Refusals
    ) -> ChosenKeys? {
        let first = keys.inheritanceClause?.inheritedTypes.first?.type.baseName
        guard first == "String" || first == "CodingKey" else {
            refuse(keys, &refusals)
            return nil
        }
        var chosen = ChosenKeys(keys: [])
        for member in keys.memberBlock.members {
            guard let cases = member.decl.as(EnumCaseDeclSyntax.self) else { continue }
            for element in cases.elements {
                let name = element.name.text.bare
                guard let value = element.rawValue?.value else {
                    chosen.keys.append((name, name))
                    continue
                }
                let literal = value.as(StringLiteralExprSyntax.self)
                guard let text = literal?.representedLiteralValue else {
                    refuse(value, &refusals)
                    return nil
                }
                chosen.keys.append((name, text))
            }
        }
        return chosen
    }

    private static func refuse(_ node: some SyntaxProtocol, _ refusals: inout Refusals) {
        refusals.refuse(
            node, "unusualCodingKeys",
            "'@Message' reads 'enum CodingKeys: String, CodingKey' with plain string literals "
                + "only; write them that way, or remove '@Message' and conform to "
                + "'Codable & Sendable'")
    }
}
