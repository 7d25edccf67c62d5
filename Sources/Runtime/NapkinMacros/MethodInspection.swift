// MethodInspection: the rules of one method of a crossing.
//
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import SwiftDiagnostics
import SwiftSyntax

enum MethodInspection {
    /// Parses the method, or says in `refusals` why it cannot.
    static func inspect(
        _ function: FunctionDeclSyntax, side: Crossing.Side, _ refusals: inout MacroDiagnostics
    ) -> Method? {
        let before = refusals.all.count
        let result = result(of: function, &refusals)
        let isEffect = function.attributes.contains(named: "Effect")
        let append = function.attributes.attribute(named: "Append")
        refuseModifiers(function, &refusals)
        refuseAttributes(function, side: side, hasResult: result != nil, &refusals)
        refuseGenerics(function, &refusals)
        let delivery: Method.Delivery =
            if side == .listener { .event } else if result != nil { .ask } else {
                append != nil ? .log : isEffect ? .effect : .state
            }
        refuseEffects(function, delivery: delivery, hasResult: result != nil, &refusals)
        var parameters: [Parameter] = []
        for parameter in function.signature.parameterClause.parameters {
            refuseParameter(parameter, &refusals)
            let label = parameter.firstName.text.bare
            let name = (parameter.secondName ?? parameter.firstName).text.bare
            parameters.append(
                Parameter(
                    label: label, name: name == "_" ? "argument\(parameters.count)" : name,
                    type: parameter.type.trimmed))
        }
        if delivery == .log && parameters.isEmpty {
            refusals.refuse(
                function.name, "emptyItem",
                "an item of a log has a value; give '\(function.name.text)' an argument")
        }
        guard refusals.all.count == before else { return nil }
        return Method(
            base: function.name.text.bare, delivery: delivery,
            logLimits: append?.arguments?.trimmedDescription ?? "",
            isProvisional: function.attributes.contains(named: "Provisional"),
            isSecret: function.attributes.contains(named: "Secret"),
            parameters: parameters, result: result,
            isThrowing: function.signature.effectSpecifiers?.throwsClause != nil,
            error: function.signature.effectSpecifiers?.throwsClause?.type?.trimmed)
    }

    /// Returns the result's type; nil if there is none, which `-> Void` also means.
    private static func result(
        of function: FunctionDeclSyntax, _ refusals: inout MacroDiagnostics
    ) -> TypeSyntax? {
        guard let type = function.signature.returnClause?.type else { return nil }
        if type.baseName == "Void" { return nil }
        if type.as(TupleTypeSyntax.self)?.elements.isEmpty == true { return nil }
        TypeInspection.refuse(type, as: "a result", &refusals)
        return type.trimmed
    }

    private static func refuseModifiers(
        _ function: FunctionDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        for modifier in function.modifiers {
            let isStatic = ["static", "class"].contains(modifier.name.text)
            refusals.refuse(
                modifier, isStatic ? "staticMethod" : "modifier",
                isStatic
                    ? "a crossing ends at an object, so a method cannot be "
                        + "'\(modifier.name.text)'; remove it"
                    : "a crossing's method has no modifiers; remove "
                        + "'\(modifier.trimmedDescription)'",
                [.removing(modifier, from: function)])
        }
    }

    private static func refuseAttributes(
        _ function: FunctionDeclSyntax, side: Crossing.Side, hasResult: Bool,
        _ refusals: inout MacroDiagnostics
    ) {
        for element in function.attributes {
            guard case .attribute(let attribute) = element else { continue }
            switch (attribute.attributeName.baseName, side) {
            case ("Effect", .listener):
                refusals.refuse(
                    attribute, "effectInListener",
                    "a listener's methods are events, never effects; remove '@Effect'")
            case ("Effect", _) where hasResult:
                refusals.refuse(
                    attribute, "effectWithResult",
                    "an effect has no answer; remove '@Effect' to ask the front, or remove the "
                        + "result")
            case ("Append", .listener):
                refusals.refuse(
                    attribute, "appendInListener",
                    "a listener's methods are events, never logs; remove '@Append'")
            case ("Append", _) where hasResult:
                refusals.refuse(
                    attribute, "appendWithResult",
                    "nobody answers an item of a log; remove '@Append' to ask the front, or remove "
                        + "the result")
            case ("Append", _) where function.attributes.contains(named: "Effect"):
                refusals.refuse(
                    attribute, "appendAndEffect",
                    "a log's items are kept, and an effect is not; remove '@Append' or '@Effect'")
            case ("Provisional", .listener):
                refusals.refuse(
                    attribute, "provisionalInListener",
                    "a listener's methods are events, which nothing holds back; remove "
                        + "'@Provisional'", [.removing(attribute, from: function)])
            case ("Provisional", _) where isNoState(function, hasResult: hasResult):
                refusals.refuse(
                    attribute, "provisionalNoState",
                    "only states and items of a log may be shown before they are durable; remove "
                        + "'@Provisional'", [.removing(attribute, from: function)])
            case ("Secret", .presentable):
                refusals.refuse(
                    attribute, "secretInPresentable",
                    "only the arguments of events are kept for a receipt; remove '@Secret'",
                    [.removing(attribute, from: function)])
            case ("Append", _), ("Effect", _), ("Provisional", _), ("Secret", _),
                ("MainActor", .presentable), ("discardableResult", _):
                break
            default:
                refusals.refuse(
                    attribute, "attribute",
                    "'\(attribute.trimmedDescription)' has no effect on the other side of a "
                        + "crossing; remove it")
            }
        }
    }

    private static func isNoState(_ function: FunctionDeclSyntax, hasResult: Bool) -> Bool {
        hasResult
            || function.attributes.contains(named: "Effect")
    }

    private static func refuseGenerics(
        _ function: FunctionDeclSyntax, _ refusals: inout MacroDiagnostics
    ) {
        let clause =
            function.genericParameterClause.map { Syntax($0) }
            ?? function.genericWhereClause.map { Syntax($0) }
        guard let clause else { return }
        refusals.refuse(
            clause, "genericMethod",
            "a generic method cannot cross: the other side must know every type; write one method "
                + "for each type")
    }

    /// Checks `async` and `throws` for this delivery class.
    private static func refuseEffects(
        _ function: FunctionDeclSyntax, delivery: Method.Delivery, hasResult: Bool,
        _ refusals: inout MacroDiagnostics
    ) {
        let signature = function.signature
        let name = function.name.text
        if signature.effectSpecifiers?.asyncSpecifier == nil {
            refusals.refuse(
                function.name, "notAsync",
                "'\(name)' must be 'async': it ends in another process",
                [.replacing(signature, by: signature.addingAsync, "add 'async'")])
        }
        let clause = signature.effectSpecifiers?.throwsClause
        if hasResult && clause == nil {
            refusals.refuse(
                function.name, "notThrowing",
                "'\(name)' has a result, so it must be 'throws': the other side may be gone",
                [.replacing(signature, by: signature.addingThrows, "add 'throws'")])
        }
        guard let clause else { return }
        if delivery == .state || delivery == .effect || delivery == .log {
            refusals.refuse(
                clause, "throwingPresent",
                "'\(name)' cannot throw: nobody waits for \(delivery.article) "
                    + "\(delivery.rawValue); remove 'throws', or return a result to ask the front",
                [.replacing(signature, by: signature.removingThrows, "remove 'throws'")])
        } else if clause.throwsSpecifier.tokenKind != .keyword(.throws) {
            refusals.refuse(
                clause, "rethrows", "write 'throws': no function crosses that could throw",
                [.replacing(signature, by: signature.addingThrows, "write 'throws'")])
        } else if let error = clause.type {
            refuseError(error, clause, signature, delivery: delivery, &refusals)
        }
    }

    /// The compiler reports missing requirements of the type, by a generated check.
    private static func refuseError(
        _ error: TypeSyntax, _ clause: ThrowsClauseSyntax, _ signature: FunctionSignatureSyntax,
        delivery: Method.Delivery, _ refusals: inout MacroDiagnostics
    ) {
        let untyped = FixIt.replacing(signature, by: signature.addingThrows, "write 'throws'")
        if delivery == .ask {
            refusals.refuse(
                clause, "typedAsk",
                "write 'throws': an ask fails with a 'RemoteFault', since a view that throws "
                    + "leaves the question to the other fronts", [untyped])
        } else if !error.is(IdentifierTypeSyntax.self) && !error.is(MemberTypeSyntax.self)
            || ["Never", "RemoteFault", "CancellationError"].contains(error.baseName)
        {
            refusals.refuse(
                clause, "typedThrows",
                "write 'throws', or 'throws(E)' with an enum E of the contract: "
                    + "'@Message enum E: CrossingError', with 'case fault(RemoteFault)' for calls "
                    + "that fail on the way", [untyped])
        }
    }

    private static func refuseParameter(
        _ parameter: FunctionParameterSyntax, _ refusals: inout MacroDiagnostics
    ) {
        if let ellipsis = parameter.ellipsis {
            let type = parameter.type.trimmedDescription
            refusals.refuse(
                ellipsis, "variadic",
                "variadic arguments cannot cross; write '[\(type)]'")
        }
        TypeInspection.refuse(parameter.type, as: "an argument", &refusals)
    }
}

extension Method.Delivery {
    var article: String { self == .effect || self == .event || self == .ask ? "an" : "a" }
}

extension FunctionSignatureSyntax {
    var addingAsync: FunctionSignatureSyntax {
        with(isAsync: true, isThrowing: effectSpecifiers?.throwsClause != nil)
    }

    /// The signature with an untyped `throws`, whatever it had before.
    var addingThrows: FunctionSignatureSyntax {
        with(isAsync: effectSpecifiers?.asyncSpecifier != nil, isThrowing: true)
    }

    var removingThrows: FunctionSignatureSyntax {
        with(isAsync: effectSpecifiers?.asyncSpecifier != nil, isThrowing: false)
    }

    private func with(isAsync: Bool, isThrowing: Bool) -> FunctionSignatureSyntax {
        var clause: ThrowsClauseSyntax?
        if isThrowing {
            clause = effectSpecifiers?.throwsClause?.trimmed
            if clause?.type != nil || clause?.throwsSpecifier.tokenKind != .keyword(.throws) {
                clause = ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws))
            }
        }
        var specifiers = FunctionEffectSpecifiersSyntax()
        specifiers.throwsClause = clause
        if isAsync {
            specifiers.asyncSpecifier = .keyword(
                .async, trailingTrivia: clause == nil ? [] : .space)
        }
        let isPlain = !isAsync && clause == nil
        var changed = self
        changed.effectSpecifiers = isPlain ? nil : specifiers
        changed.parameterClause.trailingTrivia = isPlain && returnClause == nil ? [] : .space
        if returnClause != nil { changed.effectSpecifiers?.trailingTrivia = .space }
        changed.trailingTrivia = trailingTrivia
        return changed
    }
}
