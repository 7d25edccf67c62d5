// EnumInspection: inspects the cases of a message.

import SwiftSyntax

enum EnumInspection {
    static func inspect(
        _ declaration: EnumDeclSyntax, _ refusals: inout MacroDiagnostics
    ) -> Message.Shape? {
        let elements = elements(of: declaration, &refusals)
        if elements.isEmpty {
            refusals.refuse(
                declaration.name, "noCases",
                "'\(declaration.name.text)' has no cases, so no message can be made of it; add a "
                    + "case")
            return nil
        }
        if hasRawType(declaration, elements) { return .rawValue(cases: elements.map(\.name.text)) }
        let chosen = CodingKeysInspection.inspect(declaration, &refusals)
        refusePayloadKeys(declaration, elements, &refusals)
        var names: Set<String> = []
        let choices = elements.map { element in
            let name = element.name.text
            if !names.insert(name.bare).inserted {
                refusals.refuse(
                    element.name, "sameCase",
                    "two cases are called '\(name)', and only the name is encoded; rename one")
            }
            if let chosen, chosen.key(of: name.bare) == nil {
                refusals.refuse(
                    element.name, "caseWithoutKey",
                    "'\(name)' is not in 'CodingKeys'; write 'case \(name)' there")
            }
            return choice(element, key: chosen?.key(of: name.bare) ?? name.bare, &refusals)
        }
        return .choice(choices)
    }

    private static func elements(
        of declaration: EnumDeclSyntax, _ refusals: inout MacroDiagnostics
    ) -> [EnumCaseElementSyntax] {
        var elements: [EnumCaseElementSyntax] = []
        for member in declaration.memberBlock.members {
            if let cases = member.decl.as(EnumCaseDeclSyntax.self) { elements += cases.elements }
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                refusals.refuse(
                    conditional, "conditionalField",
                    "a message has the same cases on both sides; move '#if' out of it")
            }
        }
        return elements
    }

    /// A raw type is recognized by its name; an alias of one, by the values of its cases.
    private static func hasRawType(
        _ declaration: EnumDeclSyntax, _ elements: [EnumCaseElementSyntax]
    ) -> Bool {
        if elements.contains(where: { $0.rawValue != nil }) { return true }
        let integers = ["", "8", "16", "32", "64", "128"].flatMap { ["Int" + $0, "UInt" + $0] }
        let others = ["String", "Character", "Float", "Double", "RawRepresentable"]
        return MessageInspection.inherits(declaration, Set(integers + others))
    }

    private static func choice(
        _ element: EnumCaseElementSyntax, key: String, _ refusals: inout MacroDiagnostics
    ) -> Choice {
        var choice = Choice(name: element.name.text, key: key, fields: [], labels: [])
        for parameter in element.parameterClause?.parameters ?? [] {
            let index = choice.fields.count
            let text = parameter.firstName?.text
            let label = text == "_" ? nil : text?.bare
            choice.labels.append(label)
            choice.fields.append(
                Field(
                    name: "a\(index)", key: label ?? "_\(index)", type: parameter.type,
                    defaultValue: parameter.defaultValue?.value.trimmedDescription))
        }
        if choice.fields.count > Message.fieldsMax {
            refusals.refuse(
                element.name, "tooManyValues",
                "a case has at most \(Message.fieldsMax) values; put them into a '@Message' struct")
        }
        return choice
    }

    /// `enum TurnCodingKeys` renames the values of `case turn`: that is rare, and not read here.
    private static func refusePayloadKeys(
        _ declaration: EnumDeclSyntax, _ elements: [EnumCaseElementSyntax],
        _ refusals: inout MacroDiagnostics
    ) {
        let names = Set(elements.map { $0.name.text.bare.capitalizedFirst + "CodingKeys" })
        for member in declaration.memberBlock.members {
            guard let named = member.decl.asProtocol((any NamedDeclSyntax).self) else { continue }
            guard names.contains(named.name.text) else { continue }
            refusals.refuse(
                member.decl, "unusualCodingKeys",
                "'@Message' does not rename the values of a case; remove "
                    + "'\(named.name.text)' and write the names as labels")
        }
    }
}
