// Crossing: a parsed protocol that is marked `@Crossing`.
//
// Invariant  every method's number and case name differ from the others'.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

struct Crossing {
    enum Side {
        case presentable, listener

        var portType: String { self == .presentable ? "PresentPort" : "EventPort" }
        var contractType: String {
            self == .presentable ? "PresentableCrossing" : "ListenerCrossing"
        }
        var baseType: String { self == .presentable ? "Presentable" : "PresentableListener" }
    }

    var name: String
    /// `public ` or `package `, to be put before a declaration.
    var access: String
    var side: Side
    var methods: [Method]
}

/// One method of a crossing.
struct Method {
    enum Delivery: String {
        case state, effect, log, event, ask
    }

    /// The name without arguments and backticks.
    var base: String
    var delivery: Delivery
    /// The arguments of `@Append`, as they are written: `items: 500`.
    var logLimits = ""
    /// Whether it is marked `@Provisional`.
    var isProvisional = false
    /// Whether it is marked `@Secret`.
    var isSecret = false
    var parameters: [Parameter]
    /// The result's type as it is written; nil if there is none.
    var result: TypeSyntax?
    var isThrowing: Bool
    /// The errors' type as it is written; nil if there is none.
    var error: TypeSyntax?
    /// Set by `nameCases`.
    var caseName = ""

    /// The full Swift name, `present(sections:)`.
    var key: String { "\(base)(\(parameters.map { "\($0.label):" }.joined()))" }

    var number: UInt32 { key.methodNumber }

    /// Returns the arguments of a call, `sections: sections, 3`, from an expression for each.
    func arguments(_ values: [String]) -> String {
        zip(parameters, values).map { parameter, value in
            parameter.label == "_" ? value : "\(parameter.label.asLabel): \(value)"
        }.joined(separator: ", ")
    }

    /// The labels of the case's associated values: the method's labels, unless two are the same.
    var caseLabels: [String] {
        let labels = parameters.map(\.label)
        let named = labels.filter { $0 != "_" }
        return Set(named).count == named.count ? labels : parameters.map(\.name)
    }

    /// Gives every method a case name: its base name with its labels, `presentSections`. The name
    /// does not depend on other methods, so that another method changes none; only if an earlier
    /// one has the same name, the method's number is added.
    static func nameCases(_ methods: inout [Method]) {
        var taken = Self.reserved
        for index in methods.indices {
            let method = methods[index]
            let labels = method.parameters.map(\.label).filter { $0 != "_" }
            let name = method.base + labels.map(\.capitalizedFirst).joined()
            let isFree = taken.insert(name).inserted
            methods[index].caseName = isFree ? name : "\(name)_\(method.number.digits)"
        }
    }

    /// Members that every `CrossingMessage` has.
    private static let reserved: Set<String> = ["method", "encode", "init", "self", "Type"]
}

/// One parameter of a method.
struct Parameter {
    /// The argument label, `_` if there is none; without backticks.
    var label: String
    /// The name inside the method; invented if the protocol gives none.
    var name: String
    var type: TypeSyntax

    /// The parameter as a declaration spells it.
    var declaration: String {
        let type = type.trimmedDescription
        if label == name { return "\(label.quoted): \(type)" }
        return "\(label.asLabel) \(name.quoted): \(type)"
    }
}

extension String {
    /// The name as an argument label may spell it.
    var asLabel: String {
        ["inout", "var", "let"].contains(self) || !allSatisfy(\.isIdentifierPart)
            ? "`\(self)`" : self
    }
}

extension Character {
    fileprivate var isIdentifierPart: Bool { isLetter || isNumber || self == "_" || !isASCII }
}

/// Checks the protocol, then writes `PSender`, `PReceiver` and `PCrossing`, and for a presentable
/// `PMessage`.
struct CrossingMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var refusals = MacroDiagnostics()
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
