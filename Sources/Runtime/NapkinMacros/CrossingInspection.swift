// CrossingInspection: the rules of a `@Crossing` protocol as a whole.
//
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

enum CrossingInspection {
    /// Parses the protocol, or says in `refusals` why it cannot.
    static func inspect(
        _ declaration: some DeclSyntaxProtocol, attribute: AttributeSyntax,
        lexicalContext: [Syntax], _ refusals: inout MacroDiagnostics
    ) -> Crossing? {
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
            refusals.refuse(
                attribute, "notAProtocol",
                "'@Crossing' goes on a protocol that inherits 'Presentable' or "
                    + "'PresentableListener'")
            return nil
        }
        let side = side(of: declaration, &refusals)
        let access = CrossingAccess.inspect(declaration, lexicalContext, &refusals)
        refuseGenerics(of: declaration, &refusals)
        guard let side else { return nil }
        if side == .listener { refuseMainActor(of: declaration, &refusals) }
        var methods: [Method] = []
        var nodes: [FunctionDeclSyntax] = []
        for member in declaration.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self) else {
                refuseMember(member.decl, &refusals)
                continue
            }
            guard let method = MethodInspection.inspect(function, side: side, &refusals) else {
                continue
            }
            methods.append(method)
            nodes.append(function)
        }
        refuseCollisions(methods, nodes, &refusals)
        Method.nameCases(&methods)
        return Crossing(
            name: declaration.name.text.bare, access: access, side: side, methods: methods)
    }

    private static func side(
        of declaration: ProtocolDeclSyntax, _ refusals: inout MacroDiagnostics
    ) -> Crossing.Side? {
        var sides: [Crossing.Side] = []
        for inherited in declaration.inheritanceClause?.inheritedTypes ?? [] {
            switch inherited.type.baseName {
            case "Presentable": sides.append(.presentable)
            case "PresentableListener": sides.append(.listener)
            case "AnyObject", "Sendable": break
            default:
                refusals.refuse(
                    inherited.type, "inheritsMore",
                    "a crossing inherits 'Presentable' or 'PresentableListener' and nothing "
                        + "else: its sender cannot implement what "
                        + "'\(inherited.type.trimmedDescription)' asks for")
            }
        }
        if sides.count == 1 { return sides[0] }
        let name = declaration.name.text
        if sides.isEmpty {
            refusals.refuse(
                declaration.name, "inheritsNeither",
                "write 'protocol \(name): Presentable' for what an interactor presents, or "
                    + "'protocol \(name): PresentableListener' for what a view tells its "
                    + "interactor: the two are sent differently",
                [Crossing.Side.presentable, .listener].map {
                    .replacing(
                        declaration, by: declaration.inheriting($0.baseType),
                        "inherit '\($0.baseType)'")
                })
        } else {
            refusals.refuse(
                declaration.name, "inheritsBoth",
                "'\(name)' inherits 'Presentable' and 'PresentableListener'; write one protocol "
                    + "for each direction")
        }
        return nil
    }

    private static func refuseGenerics(
        of declaration: ProtocolDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        let clauses: [Syntax?] = [
            declaration.primaryAssociatedTypeClause.map { Syntax($0) },
            declaration.genericWhereClause.map { Syntax($0) },
        ]
        for clause in clauses.compactMap(\.self) {
            refusals.refuse(
                clause, "genericProtocol",
                "a crossing's types are known on both sides; remove "
                    + "'\(clause.trimmedDescription)'")
        }
    }

    private static func refuseMainActor(
        of declaration: ProtocolDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        for case .attribute(let attribute) in declaration.attributes
        where attribute.attributeName.baseName == "MainActor" {
            refusals.refuse(
                attribute, "listenerOnMainActor",
                "a listener is implemented by an interactor, which is itself an actor; remove "
                    + "'@MainActor'")
        }
    }

    private static func refuseMember(_ member: DeclSyntax, _ refusals: inout MacroDiagnostics) {
        let advice: String? =
            switch member.kind {
            case .variableDecl:
                "a property cannot be read across processes; write an 'async' method that "
                    + "presents, tells or asks for the value"
            case .subscriptDecl: "a subscript cannot cross; write an 'async' method"
            case .initializerDecl: "an initializer cannot cross; both sides build their own objects"
            case .associatedTypeDecl:
                "an associated type cannot cross: both sides must know every type; name the type"
            case .typeAliasDecl:
                "the generated types cannot see a type alias in here; move it next to the protocol"
            case .ifConfigDecl:
                "both sides must have the same methods; remove the '#if' from the crossing"
            case .missingDecl: nil
            default: "a crossing has methods only; move this out of the protocol"
            }
        if let advice { refusals.refuse(member, "notAMethod", advice) }
    }

    private static func refuseCollisions(
        _ methods: [Method], _ nodes: [FunctionDeclSyntax], _ refusals: inout MacroDiagnostics
    ) {
        for (index, method) in methods.enumerated() {
            let earlier = methods[..<index]
            if earlier.contains(where: { $0.key == method.key }) {
                refusals.refuse(
                    nodes[index].name, "sameName",
                    "two methods are called '\(method.key)' on the wire, where types do not "
                        + "count; give one another name or another label")
            } else if let other = earlier.first(where: { $0.number == method.number }) {
                refusals.refuse(
                    nodes[index].name, "sameNumber",
                    "'\(method.key)' and '\(other.key)' have the same number "
                        + "\(method.number.literal) on the wire; rename one")
            }
        }
    }
}
