// CrossingAccess: the required visibility of a `@Crossing` protocol.
//
// It must be visible outside its module. For an internal protocol, the optimizer of a release build
// (whole-module, Swift 6.3.1) looks for the only conforming type; it finds only types written in
// source, and takes every `any P` for that type: a call to a generated sender then runs the
// interactor's code on the sender's memory. It does not do so if another module may conform.

import SwiftDiagnostics
import SwiftSyntax

enum CrossingAccess {
    /// Returns the modifier for the generated types, which are as visible as the protocol.
    static func inspect(
        _ declaration: ProtocolDeclSyntax, _ lexicalContext: [Syntax],
        _ refusals: inout MacroDiagnostics
    ) -> String {
        let isLocal = lexicalContext.contains {
            $0.isProtocol((any WithOptionalCodeBlockSyntax).self) || $0.is(ClosureExprSyntax.self)
        }
        if isLocal {
            refusals.refuse(
                declaration.name, "localProtocol",
                "a crossing needs a name that both processes can use; move "
                    + "'\(declaration.name.text)' out of the function")
            return ""
        }
        guard let access = declaration.outwardModifier(in: lexicalContext) else {
            refuse(declaration.modifiers.first(where: \.isAccess), of: declaration, &refusals)
            return ""
        }
        refuseEnclosing(declaration, lexicalContext, &refusals)
        return access.name.text + " "
    }

    private static func refuse(
        _ modifier: DeclModifierSyntax?, of declaration: ProtocolDeclSyntax,
        _ refusals: inout MacroDiagnostics
    ) {
        let fix = FixIt.replacing(
            declaration, by: declaration.replacing(modifier, by: .package), "write 'package'")
        let advice =
            "write 'public' or 'package': the processes of two modules share a contract, so "
            + "'\(declaration.name.text)' must be visible outside its own"
        if let modifier {
            let isPrivate = modifier.name.tokenKind != .keyword(.internal)
            refusals.refuse(
                modifier, isPrivate ? "privateProtocol" : "internalProtocol", advice, [fix])
        } else {
            refusals.refuse(declaration.name, "internalProtocol", advice, [fix])
        }
    }

    /// A member is not more visible than the types around it, whatever its own modifier says.
    private static func refuseEnclosing(
        _ declaration: ProtocolDeclSyntax, _ lexicalContext: [Syntax],
        _ refusals: inout MacroDiagnostics
    ) {
        let name = declaration.name.text
        for (index, scope) in lexicalContext.enumerated() {
            guard let group = scope.asProtocol((any DeclGroupSyntax).self),
                !group.modifiers.contains(where: \.isOutward)
            else { continue }
            let outer = lexicalContext.dropFirst(index + 1).first?.as(ExtensionDeclSyntax.self)
            if let type = scope.as(ExtensionDeclSyntax.self)?.extendedType {
                refusals.refuse(
                    declaration.name, "protocolInExtension",
                    "move '\(name)' out of the extension: a contract must be visible outside its "
                        + "module, and from here '@Crossing' cannot see whether "
                        + "'\(type.trimmedDescription)' is")
            } else if let type = scope.asProtocol((any NamedDeclSyntax).self)?.name.text,
                group.modifiers.contains(where: \.isAccess)
                    || outer?.modifiers.contains(where: \.isOutward) != true
            {
                refusals.refuse(
                    declaration.name, "protocolInInternalType",
                    "make '\(type)' 'public' or 'package', or move '\(name)' out of it: the "
                        + "processes of two modules share a contract, so it must be visible "
                        + "outside its own")
            } else {
                continue
            }
            return
        }
    }
}

extension DeclGroupSyntax {
    /// The modifier that makes the declaration visible outside its module; nil if there is none.
    func outwardModifier(in lexicalContext: [Syntax]) -> DeclModifierSyntax? {
        // A member of a `public extension` is public without its own modifier.
        let scope = lexicalContext.first?.as(ExtensionDeclSyntax.self)
        let access =
            modifiers.first(where: \.isAccess) ?? scope?.modifiers.first(where: \.isOutward)
        return access.flatMap { $0.isOutward ? $0 : nil }
    }
}

extension DeclModifierSyntax {
    /// Whether it makes a declaration visible outside its module.
    var isOutward: Bool {
        [.keyword(.public), .keyword(.package), .keyword(.open)].contains(name.tokenKind)
    }

    fileprivate var isAccess: Bool {
        isOutward
            || [.keyword(.private), .keyword(.fileprivate), .keyword(.internal)]
                .contains(name.tokenKind)
    }
}

extension ProtocolDeclSyntax {
    /// Returns the list with `keyword` in place of a modifier, or before the others.
    fileprivate func replacing(_ modifier: DeclModifierSyntax?, by keyword: Keyword) -> Self {
        var changed = self
        if let modifier, let index = modifiers.index(of: modifier) {
            changed.modifiers[index].name.tokenKind = .keyword(keyword)
            return changed
        }
        var added = DeclModifierSyntax(name: .keyword(keyword, trailingTrivia: .space))
        if modifiers.isEmpty {
            added.leadingTrivia = protocolKeyword.leadingTrivia
            changed.protocolKeyword.leadingTrivia = []
        } else {
            added.leadingTrivia = modifiers.leadingTrivia
            changed.modifiers.leadingTrivia = []
        }
        changed.modifiers.insert(added, at: changed.modifiers.startIndex)
        return changed
    }
}
